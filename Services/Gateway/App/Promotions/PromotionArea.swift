import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which the operator sets promoted products (M67, M68) and the featured tab (M64).
struct PromotionArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            services.forward(PromotionRoutes.setup, to: CatalogEndpoints.getPromotions) {
                AppRequest(bundleId: try $0.bundleId())
            },
            // A product missing from the list is not promoted.
            services.forward(PromotionRoutes.putSetup, to: CatalogEndpoints.putPromotions) { call, entries in
                let bundleId = try call.bundleId()
                guard entries.count <= PutPromotionsRequest.entriesMax else {
                    throw StoreError.invalid(
                        "$", "has \(entries.count) products, at most \(PutPromotionsRequest.entriesMax) are promoted")
                }
                try Self.checkEach(entries.map { (bundleId, $0.productIdentifier) })
                return PutPromotionsRequest(bundleId: bundleId, entries: entries)
            },
            services.forward(PromotionRoutes.featured, to: CatalogEndpoints.getFeatured) {
                FeaturedRequest(in: $0.scope)
            } reply: {
                try Reply($0.shown)
            },
            // The whole tab, for all apps of the request's scope.
            services.forward(PromotionRoutes.putFeatured, to: CatalogEndpoints.putFeatured) { call, products in
                PutFeaturedRequest(try Self.checked(products, call), in: call.scope)
            } reply: {
                try Reply($0.shown)
            },
        ]
    }

    /// Checks the products of the featured tab, and names their apps as services do.
    /// - Throws: `requestInvalid`.
    private static func checked(
        _ products: [ProductReference], _ call: Call
    ) throws(StoreError) -> [ProductReference] {
        guard products.count <= FeaturedList.productsMax else {
            throw .invalid("$", "has \(products.count) products, at most \(FeaturedList.productsMax) are featured")
        }
        for (index, product) in products.enumerated() {
            try Identifier.check(product.bundleId, as: .bundle, at: "$[\(index)].bundleId")
        }
        try checkEach(products.map { ($0.bundleId, $0.productIdentifier) })
        return try products.map { product throws(StoreError) in
            ProductReference(bundleId: try call.app(product.bundleId), productIdentifier: product.productIdentifier)
        }
    }

    /// - Throws: `requestInvalid` for an invalid identifier, and for a product listed twice.
    private static func checkEach(_ products: [(bundleId: String, productIdentifier: String)]) throws(StoreError) {
        var seen: Set<ProductReference> = []
        for (index, product) in products.enumerated() {
            try Identifier.check(product.productIdentifier, as: .product, at: "$[\(index)].productIdentifier")
            let reference = ProductReference(
                bundleId: product.bundleId, productIdentifier: product.productIdentifier)
            guard seen.insert(reference).inserted else {
                throw .invalid("$[\(index)].productIdentifier", "is listed twice")
            }
        }
    }
}

extension FeaturedList {
    /// The list with apps as clients name them.
    fileprivate var shown: FeaturedList {
        FeaturedList(
            products: products.map { product in with(product) { $0.bundleId = IsolatedApp.shown($0.bundleId) } })
    }
}

extension PromotionSupport {
    /// - Throws: `promotionUnsupported` where an app cannot handle promoted purchases with `PurchaseIntent` (M59).
    static func checkPurchaseIntent(platform: DeviceLaunch.Platform, osVersion: String) throws(StoreError) {
        guard let reason = purchaseIntentUnsupported(platform: platform, osVersion: osVersion) else { return }
        throw StoreError(.promotionUnsupported, reason)
    }
}

extension ReviewReason: CheckedBody {
    /// Maximum length in characters. More is 400.
    static let lengthMax = 500

    package func validate() throws(StoreError) {
        if let reason { try Identifier.check(reason, at: "$.reason", lengthMax: Self.lengthMax) }
    }
}

import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which the operator sets promoted products (M67, M68) and the featured tab (M64).
    var promotionRoutes: [Route] {
        [
            Route(PromotionRoutes.setup) { [self] call in
                let request = AppRequest(bundleId: try call.bundleId())
                return try await services.call(CatalogEndpoints.getPromotions, request, context: call.context())
            },
            Route(PromotionRoutes.putSetup) { [self] in try await putPromotions($0) },
            Route(PromotionRoutes.featured) { [self] call in
                try await services.call(
                    CatalogEndpoints.getFeatured, FeaturedRequest(in: call.scope), context: call.context()
                ).shown
            },
            Route(PromotionRoutes.putFeatured) { [self] in try await putFeatured($0) },
        ]
    }

    /// Replaces the whole list: a product missing from it is not promoted.
    private func putPromotions(_ call: Call) async throws -> PromotionSetup {
        let bundleId = try call.bundleId()
        let entries = try await call.body(of: PromotionRoutes.putSetup)
        guard entries.count <= PutPromotionsRequest.entriesMax else {
            throw StoreError.invalid(
                "$", "has \(entries.count) products, at most \(PutPromotionsRequest.entriesMax) are promoted")
        }
        try Self.checkEach(entries.map { (bundleId, $0.productIdentifier) })
        return try await services.call(
            CatalogEndpoints.putPromotions, PutPromotionsRequest(bundleId: bundleId, entries: entries),
            context: call.context())
    }

    /// Replaces the whole featured tab, for all apps of the request's scope.
    private func putFeatured(_ call: Call) async throws -> FeaturedList {
        var products = try await call.body(of: PromotionRoutes.putFeatured)
        guard products.count <= FeaturedList.productsMax else {
            throw StoreError.invalid(
                "$", "has \(products.count) products, at most \(FeaturedList.productsMax) are featured")
        }
        for (index, product) in products.enumerated() {
            try Identifier.check(product.bundleId, as: .bundle, at: "$[\(index)].bundleId")
        }
        try Self.checkEach(products.map { ($0.bundleId, $0.productIdentifier) })
        for index in products.indices { products[index].bundleId = try call.app(products[index].bundleId) }
        return try await services.call(
            CatalogEndpoints.putFeatured, PutFeaturedRequest(products, in: call.scope), context: call.context()
        ).shown
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

extension ReviewReason {
    /// Maximum length in characters; more is 400.
    static let lengthMax = 500

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let reason { try Identifier.check(reason, at: "$.reason", lengthMax: Self.lengthMax) }
    }
}

import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes for purchases that begin in the store. The user taps Buy (M65) or opens a test URL (M106–M109).
struct StorePurchaseArea: Area {
    let services: ServiceCaller
    let accounts: AccountDirectory
    let launches: LaunchRegistrar

    var routes: [Route] {
        [
            Route(StorePageRoutes.purchase) { call in
                let body = try await call.body(of: StorePageRoutes.purchase)
                return try await start(body.productIdentifier, from: body.intentSource, offer: body.offer, call)
            },
            Route(StorePageRoutes.openURL) { call in
                let body = try await call.body(of: StorePageRoutes.openURL)
                let product = try body.productIdentifier(of: call.session.bundleId)
                return try await start(product, from: .testURL, offer: nil, call)
            },
        ]
    }

    /// Starts a purchase of Catalog's product in PromotionController. A repeated key gets the same purchase. Without a
    /// key a repetition does so only while the intent is pending.
    private func start(
        _ productIdentifier: String, from source: StorePurchaseIntent.Source, offer: String?, _ call: Call
    ) async throws -> StartPurchaseReply {
        let session = call.session
        let key = try IdempotencyKey.readIfPresent(call.request.headers)
        async let customer = accounts.customer(call)
        try await launches.registerLaunchIfNeeded(call)
        let facts = try await services.call(
            CatalogEndpoints.productPromotion,
            ProductPromotionRequest(
                bundleId: session.bundleId, productIdentifier: productIdentifier, storefront: await customer.storefront),
            for: call)
        let request = StartPurchaseRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier,
            account: session.account, source: source, facts: facts, offer: offer,
            requestIdentifier: key ?? IdempotencyKey.make())
        let unknown = UnknownOutcome(
            key == nil
                ? "the purchase was sent and its outcome is not known here; GET /v1/intents lists the begun ones"
                : "the purchase was sent and its outcome is not known here; repeating it with its key is safe",
            isRepeatable: key != nil)
        return try await services.call(PromotionEndpoints.startPurchase, request, for: call, else: unknown)
    }
}

extension StorePurchase: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        if let offer { try Identifier.check(offer, at: "$.offer") }
    }

    var intentSource: StorePurchaseIntent.Source {
        switch source ?? .storePage {
        case .storePage: .storePage
        case .search: .search
        case .featured: .featured
        }
    }
}

extension URLToOpen {
    /// Returns the product of one of this app's test URLs, which must match exactly.
    /// - Throws: `urlInvalid` that names the part and the fault.
    func productIdentifier(of bundleId: String) throws(StoreError) -> String {
        do throws(PurchaseIntentURLFault) {
            let url = try PurchaseIntentURL(parsing: url)
            let shown = IsolatedApp.shown(bundleId)
            guard url.bundleId.isExactly(shown) else {
                throw PurchaseIntentURLFault(.bundleId, .wrong, "is '\(url.bundleId)' and must be '\(shown)' here")
            }
            try Self.check(url)
            return url.productIdentifier
        } catch {
            throw error.storeError
        }
    }

    private static func check(_ url: PurchaseIntentURL) throws(PurchaseIntentURLFault) {
        let length = url.productIdentifier.unicodeScalars.count
        guard length <= IdentifierRule.product.lengthMax else {
            throw PurchaseIntentURLFault(
                .productIdentifier, .tooLong, "has more than \(IdentifierRule.product.lengthMax) characters")
        }
    }
}

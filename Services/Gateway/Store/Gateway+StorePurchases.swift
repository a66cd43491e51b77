import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes for purchases that begin in the store. The user taps Buy (M65) or opens a test URL (M106–M109).
    var storePurchaseRoutes: [Route] {
        [
            Route(StorePageRoutes.purchase) { [self] call in
                let body = try await call.body(of: StorePageRoutes.purchase)
                try body.validate()
                return try await start(body.productIdentifier, from: body.intentSource, call)
            },
            Route(StorePageRoutes.openURL) { [self] call in
                let body = try await call.body(of: StorePageRoutes.openURL)
                return try await start(
                    try body.productIdentifier(of: call.session.bundleId), from: .testURL, call)
            },
        ]
    }

    /// Starts a purchase of Catalog's product in PromotionController. A repeated key gets the same purchase; without a
    /// key a repetition does so only while the intent is pending.
    private func start(
        _ productIdentifier: String, from source: PurchaseIntent.Source, _ call: Call
    ) async throws -> StartPurchaseReply {
        let session = call.session
        let key = try IdempotencyKey.readIfPresent(call.request.headers)
        async let shopper = accounts.shopper(call)
        try await announceIfUntold(call)
        let facts = try await services.call(
            CatalogEndpoints.productPromotion,
            ProductPromotionRequest(
                bundleId: session.bundleId, productIdentifier: productIdentifier,
                storefront: await shopper.storefront),
            context: call.context())
        let request = StartPurchaseRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier,
            account: session.account, source: source, facts: facts, requestIdentifier: key ?? IdempotencyKey.make())
        return try await withKnownOutcome(
            else: key == nil
                ? "the purchase was sent and its outcome is not known here; GET /v1/intents tells what has begun"
                : "the purchase was sent and its outcome is not known here; the same again, with its key, is safe",
            isRepeatable: key != nil
        ) { () async throws(StoreError) in
            try await services.call(PromotionEndpoints.startPurchase, request, context: call.context())
        }
    }
}

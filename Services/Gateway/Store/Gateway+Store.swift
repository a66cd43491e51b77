import BusService
import Hummingbird
import StoreModels

extension Gateway {
    var storeRoutes: [Route] {
        [Route(.get, "/v1/store-page", .appOrStore) { [self] in try await storePage($0) }]
    }

    /// Where the customer shops is known first; everything else is asked at once. Only the products are essential; without the rest the page says what is missing.
    private func storePage(_ call: Call) async throws -> Response {
        let shopper = await accounts.shopper(call)
        async let promoted = promotedProducts(in: shopper.storefront, call)
        async let ownership = ownership(call)
        async let eligibility = eligibilityAnswers(for: nil, of: shopper, call)
        let (listed, isOperatorsOrder) = try await promoted
        let owned = try await ownership
        let (products, withoutEligibility) = try await eligibility.apply(to: listed)
        var degraded = Set(withoutEligibility)
        if isOperatorsOrder { degraded.formUnion([ServiceName.promotionController].compactMap(\.degradedName)) }
        if owned == nil { degraded.formUnion([ServiceName.paymentQueue].compactMap(\.degradedName)) }
        let promotions = products.map { Promotion(product: $0, owned: owned?.owns($0)) }
        return try Reply.json(StorePageAnswer(promotions: promotions, degraded: degraded.sorted()))
    }

    /// This device's order; without PromotionController the operator's, which Catalog keeps.
    private func promotedProducts(in storefront: String, _ call: Call) async throws(StoreError) -> (
        products: [Product], isOperatorsOrder: Bool
    ) {
        let session = call.session
        let request = PromotionsRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, storefront: storefront)
        let reply = try await degrading(.promotionController) { [services] () async throws(StoreError) in
            try await services.call(
                PromotionEndpoints.listPromotions, request, context: call.context(deadline: call.optionalDeadline))
        }
        if let reply { return (reply.products, false) }
        let fallback = try await services.call(
            CatalogEndpoints.listPromotions,
            PromotedProductsRequest(bundleId: session.bundleId, storefront: storefront),
            context: call.context())
        return (fallback.products, true)
    }

    /// - Returns: nil when PaymentQueue is away.
    private func ownership(_ call: Call) async throws(StoreError) -> Ownership? {
        try await degrading(.paymentQueue) { () async throws(StoreError) in
            let context = call.context(deadline: call.optionalDeadline)
            let session = call.session
            let summary = try await services.call(
                PaymentEndpoints.offerSummary,
                OfferSummaryRequest(bundleId: session.bundleId, customerIdentifier: session.customerIdentifier),
                context: context)
            var transactions: [PaymentTransaction] = []
            var after: String?
            // A customer with more purchases than this is told "not known" for what was not among the first ones.
            for _ in 0..<Self.historyPagesMax {
                let page = try await services.call(
                    PaymentEndpoints.history,
                    HistoryRequest(
                        bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, after: after),
                    context: context)
                transactions += page.transactions
                after = page.after
                if after == nil { break }
            }
            return Ownership(transactions: transactions, isComplete: after == nil, now: summary.businessNow)
        }
    }

    private static let historyPagesMax = 20
}

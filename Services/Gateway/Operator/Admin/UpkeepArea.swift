import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which the operator lists storefronts, prices and offers, explains products, resets and clears.
struct UpkeepArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            services.forward(AppRoutes.storefronts, to: CatalogEndpoints.describeStorefronts) { _ in Empty() },
            // Whether a product can be bought, with every reason why not (M5).
            services.forward(AppRoutes.explain, to: CatalogEndpoints.explainProduct) { call in
                let storefront = try await directories.namedStorefront(call)
                return ExplainProductRequest(
                    bundleId: try call.bundleId(), productIdentifier: try call.parameter(.id), storefront: storefront)
            },
            // All offers of a product, including those redeemed outside the app.
            services.forward(AppRoutes.offers, to: CatalogEndpoints.productOffers) { call in
                let storefront = try await directories.namedStorefront(call)
                return ProductOffersRequest(
                    bundleId: try call.bundleId(), productIdentifier: try call.parameter(.id), storefront: storefront)
            },
            Route(AppRoutes.prices) { try await prices($0) },
            Route(AppRoutes.reset) { try await reset($0) },
            Route(AppRoutes.clearHistory) { try await clearHistory($0) },
        ]
    }

    private func reset(_ call: Call) async throws -> ResetResponse {
        _ = try await call.body(of: AppRoutes.reset)
        let bundleId = try await directories.existingApp(call)
        let context = call.patientContext()
        let intents = try await clearIntents(ClearIntentsRequest(bundleId: bundleId), call, until: context.deadline)
        let reply = try await services.call(
            PaymentEndpoints.reset, ResetRequest(bundleId: bundleId, intents: intents.continued), context: context)
        return ResetResponse(removedTransactions: reply.removedTransactions, cancelledIntents: intents.cancelled)
    }

    private func clearHistory(_ call: Call) async throws -> HistoryResponse {
        let account = try call.accountFilter()
        let bundleId = try await directories.existingApp(call)
        let context = call.patientContext()
        let intents = try await clearIntents(
            ClearIntentsRequest(bundleId: bundleId, account: account), call, until: context.deadline)
        let reply = try await services.call(
            PaymentEndpoints.clearHistory,
            ClearHistoryRequest(bundleId: bundleId, account: account, intents: intents.continued), context: context)
        return HistoryResponse(removed: reply.removed, cancelledIntents: intents.cancelled)
    }

    /// Cancels open intents first. A purchase that began in the store must not continue after the clearing, and
    /// PaymentQueue must know which payments are on their way to it. Without PromotionController nothing is cleared,
    /// and the whole request can be repeated.
    private func clearIntents(
        _ request: ClearIntentsRequest, _ call: Call, until last: ContinuousClock.Instant
    ) async throws(StoreError) -> ClearIntentsReply {
        // The longer part is PaymentQueue's; an intent request that times out must not use up its time.
        let context = call.context(deadline: min(last, .now + HTTPLimits.requestTimeout))
        do {
            return try await services.call(PromotionEndpoints.clearIntents, request, context: context)
        } catch  where error.meansAway {
            throw StoreError(
                .serviceUnavailable,
                "open purchases begun in the store could not be cancelled first, so no purchases were cleared: "
                    + error.message, retryAfterMs: error.retryAfterMs ?? 1_000)
        }
    }

    /// Lists one product's prices by storefront, without a session in each. Without `storefronts` in the query it lists
    /// all of them.
    private func prices(_ call: Call) async throws -> ProductPrices {
        let product = try call.parameter(.id)
        let bundleId = try await directories.existingApp(call)
        var answer = ProductPrices(productIdentifier: product, prices: [])
        for storefront in try await storefrontCodes(call) {
            let request = ProductsRequest(
                bundleId: bundleId, productIdentifiers: [product], storefront: storefront)
            let reply = try await services.call(CatalogEndpoints.queryProducts, request, for: call)
            if let found = reply.products.first {
                answer.prices.append(ProductPrices.Price(found, in: storefront))
                continue
            }
            let explanation = try await services.call(
                CatalogEndpoints.explainProduct,
                ExplainProductRequest(bundleId: bundleId, productIdentifier: product, storefront: storefront),
                for: call)
            answer.prices.append(ProductPrices.Price(explanation))
        }
        return answer
    }

    /// Requested storefronts without duplicates, in request order.
    private func storefrontCodes(_ call: Call) async throws -> [String] {
        let named = call.query.list("storefronts")
        guard named.count <= HTTPLimits.identifiersMax else {
            throw StoreError.invalid("query storefronts", "has more than \(HTTPLimits.identifiersMax) codes")
        }
        guard !named.isEmpty else {
            let all = try await services.call(CatalogEndpoints.listStorefronts, Empty(), for: call)
            return all.storefronts.map(\.countryCode)
        }
        var codes: [String] = []
        for name in named where !codes.contains(name) {
            let found = try await directories.storefronts.find(name, at: "query storefronts", call.context())
            codes.append(found.countryCode)
        }
        return codes
    }
}

extension ProductPrices.Price {
    fileprivate init(_ product: Product, in storefront: String) {
        self.init(
            storefront: storefront, available: true, price: product.price, priceLocale: product.priceLocale,
            introductoryPrice: product.introductoryPrice, subscriptionPeriod: product.subscriptionPeriod)
    }

    fileprivate init(_ explanation: ProductExplanation) {
        self.init(
            storefront: explanation.storefront, available: false, reasons: explanation.reasons.map(\.rawValue))
    }
}

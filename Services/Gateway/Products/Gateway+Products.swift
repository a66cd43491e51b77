import BusService
import Hummingbird
import StoreModels

extension Gateway {
    var productRoutes: [Route] {
        [
            Route(.get, "/v1/products", .app, query: ["ids"]) { [self] call in
                try await products(call.query.list("ids"), at: "query ids", call)
            },
            Route(.post, "/v1/products/query", .app) { [self] call in
                let query = try await call.body(ProductsQuery.self, members: ProductsQuery.members)
                return try await products(query.productIdentifiers, at: "$.productIdentifiers", call)
            },
            Route(.get, "/v1/eligibility", .app, query: ["ids"]) { [self] call in
                try await eligibility(of: await accounts.shopper(call), call)
            },
        ]
    }

    /// Catalog and Eligibility are asked at once; the answer needs only the first.
    private func products(_ identifiers: [String], at place: String, _ call: Call) async throws -> Response {
        try Identifier.checkProducts(identifiers, at: place)
        guard !identifiers.isEmpty else {
            return try Reply.json(ProductsAnswer(products: [], invalidProductIdentifiers: [], degraded: []))
        }
        let shopper = await accounts.shopper(call)
        try shopper.checkMayLoadProducts()
        let query = ProductsInParts(services: services, shopper: shopper, identifiers: identifiers)
        async let answers = eligibilityAnswers(for: query.identifiers, of: shopper, call)
        let found = try await query.run(call.context())
        let (products, degraded) = try await answers.apply(to: found.products)
        return try Reply.json(
            ProductsAnswer(
                products: products, invalidProductIdentifiers: found.invalidProductIdentifiers, degraded: degraded))
    }

    /// What Eligibility says of these products; without it, what can be said anyway.
    /// - Parameter identifiers: nil for every subscription of the app.
    func eligibilityAnswers(
        for identifiers: [String]?, of shopper: Shopper, _ call: Call
    ) async throws(StoreError) -> EligibilityAnswers {
        let request = EligibilityRequest(
            bundleId: shopper.bundleId, customerIdentifier: shopper.customerIdentifier, storefront: shopper.storefront,
            productIdentifiers: identifiers)
        let reply = try await degrading(.eligibility) { [services] () async throws(StoreError) in
            try await services.call(
                EligibilityEndpoints.check, request, context: call.context(deadline: call.optionalDeadline))
        }
        return EligibilityAnswers(reply)
    }

    /// Per subscription. With Eligibility away, Catalog still knows which subscriptions there are.
    func eligibility(of shopper: Shopper, _ call: Call) async throws -> Response {
        let identifiers = call.query.list("ids")
        try Identifier.checkProducts(identifiers, at: "query ids")
        let answers = try await eligibilityAnswers(for: identifiers.isEmpty ? nil : identifiers, of: shopper, call)
        if let reply = answers.reply { return try Reply.json(reply) }
        let subscriptions = try await subscriptions(for: shopper, call).filter {
            identifiers.isEmpty || identifiers.contains($0.productIdentifier)
        }
        return try Reply.json(
            EligibilityReply(
                eligibility: subscriptions.compactMap(ProductEligibility.init(unknownFor:)), degraded: answers.degraded)
        )
    }

    private func subscriptions(for shopper: Shopper, _ call: Call) async throws(StoreError) -> [Product] {
        let page = try await services.call(
            CatalogEndpoints.listProducts,
            ProductsPageRequest(
                bundleId: shopper.bundleId, storefront: shopper.storefront, limit: HTTPLimits.identifiersMax,
                type: .autoRenewable),
            context: call.context())
        return page.products
    }
}

extension ProductEligibility {
    /// Nil for what is no subscription.
    fileprivate init?(unknownFor product: Product) {
        guard let group = product.subscriptionGroupIdentifier else { return nil }
        self.init(
            productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group, eligibility: .unknown,
            rule: .historyUnavailable)
    }
}

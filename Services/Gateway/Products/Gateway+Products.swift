import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var productRoutes: [Route] {
        [
            Route(ProductRoutes.list) { [self] call in
                try await products(call.query.list("ids"), at: "query ids", call)
            },
            Route(ProductRoutes.query) { [self] call in
                let query = try await call.body(of: ProductRoutes.query)
                return try await products(query.productIdentifiers, at: "$.productIdentifiers", call)
            },
            Route(ProductRoutes.eligibility) { [self] call in
                try await eligibility(of: await accounts.customer(call), call)
            },
            Route(ProductRoutes.eligibilityOfReceipt) { [self] in try await eligibilityOfReceipt($0) },
        ]
    }

    /// Responds with products. When they are cached, Eligibility is asked about the subscriptions only. Otherwise
    /// Catalog and Eligibility are asked concurrently, but the response requires only Catalog.
    private func products(
        _ identifiers: [String], at path: String, _ call: Call
    ) async throws -> Reply<ProductsResponse<Product>> {
        try Identifier.checkProducts(identifiers, at: path)
        guard !identifiers.isEmpty else {
            return try Reply(ProductsResponse(products: [], invalidProductIdentifiers: [], degraded: []))
        }
        let customer = await accounts.customer(call)
        try customer.checkMayLoadProducts()
        let query = ProductsInParts(services: services, customer: customer, identifiers: identifiers)
        if let known = products.known(query, at: customer.appVersion) {
            let subscriptions = known.products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
            let answers = try await eligibilityResults(
                for: subscriptions, of: customer.reference, in: customer.storefront, call)
            return try Reply(Self.answer(known, answers))
        }
        async let answers = eligibilityResults(
            for: query.identifiers, of: customer.reference, in: customer.storefront, call)
        let found = try await products.ask(query, at: customer.appVersion, call.context())
        return try Reply(Self.answer(found, try await answers))
    }

    private static func answer(
        _ found: ProductsInParts.Reply, _ answers: EligibilityResults
    ) -> ProductsResponse<ForwardedProduct> {
        ProductsResponse(
            products: found.products.map(answers.form(of:)),
            invalidProductIdentifiers: found.invalidProductIdentifiers,
            degraded: answers.degraded(for: found.products))
    }

    /// Asks Eligibility about these products, unless there are none. While it is away, the answers have no reply.
    func eligibilityResults(
        for identifiers: [String], of customer: CustomerReference, in storefront: String, _ call: Call
    ) async throws(StoreError) -> EligibilityResults {
        guard !identifiers.isEmpty else { return EligibilityResults(EligibilityReply(eligibility: [], degraded: [])) }
        let request = EligibilityRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, storefront: storefront,
            productIdentifiers: identifiers)
        return try await eligibilityResults(request, call)
    }

    func eligibilityResults(
        _ request: EligibilityRequest, _ call: Call
    ) async throws(StoreError) -> EligibilityResults {
        let reply = try await degrading(.eligibility) { [eligibilityLoader] () async throws(StoreError) in
            try await eligibilityLoader.ask(request, call.context(deadline: call.optionalDeadline))
        }
        return EligibilityResults(reply)
    }

    /// Responds with each subscription's eligibility, from PaymentQueue's data about the customer.
    func eligibility(of customer: RequestCustomer, _ call: Call) async throws -> EligibilityReply {
        let identifiers = call.query.list("ids")
        try Identifier.checkProducts(identifiers, at: "query ids")
        let request = EligibilityRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
            storefront: customer.storefront,
            productIdentifiers: identifiers.isEmpty ? nil : identifiers)
        return try await eligibility(request, call)
    }

    /// Returns the eligibility. While Eligibility is away, Catalog supplies the list of subscriptions.
    func eligibility(_ request: EligibilityRequest, _ call: Call) async throws(StoreError) -> EligibilityReply {
        let answers = try await eligibilityResults(request, call)
        if let reply = answers.reply { return reply }
        return try await unknownEligibility(request, without: answers.degraded, call)
    }

    /// Builds the reply for an unknown customer.
    /// - Parameter degraded: Names of the services that are away.
    func unknownEligibility(
        _ request: EligibilityRequest, without degraded: [String], _ call: Call
    ) async throws(StoreError) -> EligibilityReply {
        let page = try await services.call(
            CatalogEndpoints.listProducts,
            ProductsPageRequest(
                bundleId: request.bundleId, storefront: request.storefront, limit: HTTPLimits.identifiersMax,
                type: .autoRenewable), for: call)
        let wanted = page.products.filter { request.productIdentifiers?.containsExactly($0.productIdentifier) ?? true }
        return EligibilityReply(
            eligibility: wanted.compactMap(ProductEligibility.init(unknownFor:)), degraded: degraded)
    }
}

extension ProductsResponse: WrittenForm where Item == ForwardedProduct {
    func written() throws -> [UInt8] {
        var json = JSONPieces(capacity: products.reduce(128) { $0 + $1.bytes.count + 1 })
        json.append("{")
        if let degraded {
            json.append(#""degraded":"#)
            try json.append(degraded)
            json.append(",")
        }
        json.append(#""invalidProductIdentifiers":"#)
        try json.append(invalidProductIdentifiers)
        json.append(#","products":["#)
        for (index, product) in products.enumerated() {
            if index > 0 { json.append(",") }
            json.append(product.bytes)
        }
        json.append("]}")
        return json.bytes
    }
}

extension ProductEligibility {
    /// Creates an entry. Nil for a product that is not a subscription.
    fileprivate init?(unknownFor product: Product) {
        guard let group = product.subscriptionGroupIdentifier else { return nil }
        self.init(
            productIdentifier: product.productIdentifier, subscriptionGroupIdentifier: group, eligibility: .unknown,
            rule: .historyUnavailable)
    }
}

import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which an app requests products.
struct ProductArea: Area {
    let services: ServiceCaller
    let accounts: AccountDirectory
    let directory: ProductDirectory
    let eligibility: EligibilityAnswers

    var routes: [Route] {
        [
            Route(ProductRoutes.list) { call in
                try await products(
                    ProductsQuery(
                        productIdentifiers: call.query.list("ids"), language: call.query.single("language")),
                    at: ("query ids", "query language"), call)
            },
            Route(ProductRoutes.query) { call in
                try await products(call.body(of: ProductRoutes.query), at: ("$.productIdentifiers", "$.language"), call)
            },
        ]
    }

    /// Responds with products. When they are cached, Eligibility is asked about the subscriptions only. Otherwise
    /// Catalog and Eligibility are asked concurrently, but the response requires only Catalog.
    private func products(
        _ asked: ProductsQuery, at places: (identifiers: String, language: String), _ call: Call
    ) async throws -> Reply<ProductsResponse<Product>> {
        let identifiers = asked.productIdentifiers
        try Identifier.checkProducts(identifiers, at: places.identifiers)
        if let language = asked.language { try Self.check(language: language, at: places.language) }
        guard !identifiers.isEmpty else {
            return try Reply(ProductsResponse(products: [], invalidProductIdentifiers: [], degraded: []))
        }
        let customer = await accounts.customer(call)
        try customer.checkMayLoadProducts()
        let query = ProductsInParts(
            services: services, customer: customer, identifiers: identifiers, language: asked.language)
        if let known = directory.known(query, at: customer.appVersion) {
            let subscriptions = known.products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
            let answers = try await eligibility.results(
                for: subscriptions, of: customer.reference, in: customer.storefront, call)
            return try Reply(Self.answer(known, answers))
        }
        async let answers = eligibility.results(
            for: query.identifiers, of: customer.reference, in: customer.storefront, call)
        let found = try await directory.ask(query, at: customer.appVersion, call.context())
        return try Reply(Self.answer(found, try await answers))
    }

    /// - Throws: `requestInvalid` for a text without the form of a language, such as `fr` or `zh_Hant`.
    private static func check(language: String, at place: String) throws(StoreError) {
        // Catalog drops keywords, as of fr@currency=EUR, so they would be another key of its answers.
        guard !language.utf8.contains(UInt8(ascii: "@")), LocaleName(language) != nil
        else {
            throw StoreError(
                .requestInvalid,
                "\(place): '\(language.prefix(20))' is not a language; it must be one such as fr or pt_BR",
                details: ["path": .string(place)])
        }
    }

    private static func answer(
        _ found: ProductsInParts.Reply, _ answers: EligibilityResults
    ) -> ProductsResponse<ForwardedProduct> {
        ProductsResponse(
            products: found.products.map(answers.form(of:)),
            invalidProductIdentifiers: found.invalidProductIdentifiers,
            degraded: answers.degraded(for: found.products))
    }
}

extension ProductsResponse: WrittenForm where Item == ForwardedProduct {
    package func written() throws -> [UInt8] {
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

import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes for one device's overrides in one app: order and visibility of promoted products (M87–M105). Apps and the
/// operator have paths of their own.
struct OverrideArea: Area {
    let services: ServiceCaller
    let accounts: AccountDirectory
    let eligibility: EligibilityAnswers
    let launches: LaunchRegistrar

    var routes: [Route] {
        [
            Route(PromotionRoutes.order) { try await order(at: try await scope($0), $0) },
            Route(PromotionRoutes.putOrder) { try await putOrder(at: try await scope($0), $0) },
            Route(PromotionRoutes.visibility) { try await visibility(at: try await scope($0), $0) },
            Route(PromotionRoutes.putVisibility) { try await putVisibility(at: try await scope($0), $0) },
            Route(PromotionRoutes.putDeviceOrder) { try await putOrder(at: try operatorsPlace($0), $0) },
            Route(PromotionRoutes.putDeviceVisibility) {
                try await putVisibility(at: try operatorsPlace($0), $0)
            },
        ]
    }

    /// Returns the scope of an app's request, once PromotionController knows of the launch.
    private func scope(_ call: Call) async throws(StoreError) -> OverrideScope {
        try await launches.registerLaunchIfNeeded(call)
        return OverrideScope(
            installation: call.session.installation.reference, storefront: await accounts.customer(call).storefront)
    }

    private func operatorsPlace(_ call: Call) throws(StoreError) -> OverrideScope {
        OverrideScope(installation: try call.installation(), storefront: Directories.defaultStorefront)
    }

    private func order(at scope: OverrideScope, _ call: Call) async throws -> Reply<OrderResponse<Product>> {
        let order = try await promotions(at: scope, call).overrides.order
        let products = try await WholeProducts(order, at: scope, services, call.context())
        return try Reply(
            OrderResponse(productIdentifiers: order, products: try await presented(products.inOrder(order), call)))
    }

    /// Returns the device's overrides in the app.
    /// - Throws: `appNeverLaunched`, `promotionUnsupported`, as setting overrides does.
    private func promotions(at scope: OverrideScope, _ call: Call) async throws -> DevicePromotions {
        // By itself: a batch of the store pages' loader ends with the earliest of its deadlines.
        let reply = try await services.call(
            PromotionEndpoints.getManyOverrides, OverridesBatch(installations: [scope.installation]), for: call)
        guard let promotions = reply.promotions.first else {
            throw StoreError(.internal, "PromotionController answered none of 1 question")
        }
        if let reason = promotions.unsupported { throw StoreError(.promotionUnsupported, reason) }
        guard promotions.isLaunched else {
            throw StoreError(
                .appNeverLaunched,
                "'\(scope.bundleId)' was never launched on '\(scope.installation.deviceId)'")
        }
        return promotions
    }

    /// Sets the order. All products are checked before anything is stored.
    private func putOrder(at scope: OverrideScope, _ call: Call) async throws -> Reply<OrderResponse<Product>> {
        let body = try await call.body(of: PromotionRoutes.putOrder)
        let products = try await WholeProducts(
            body.productIdentifiers, at: scope, services, call.context(), endsAtUnknown: true)
        try products.check(body.productIdentifiers)
        let overrides = try await services.call(
            PromotionEndpoints.putOrder,
            PutPromotionOrderRequest(
                bundleId: scope.bundleId, deviceId: scope.installation.deviceId,
                productIdentifiers: body.productIdentifiers), for: call)
        return try Reply(
            OrderResponse(
                productIdentifiers: overrides.order,
                products: try await presented(products.inOrder(overrides.order), call)))
    }

    private func visibility(at scope: OverrideScope, _ call: Call) async throws -> Reply<VisibilityResponse<Product>> {
        let identifier = try call.parameter(.productIdentifier, of: "product")
        async let promotions = promotions(at: scope, call)
        let products = try await WholeProducts([identifier], at: scope, services, call.context())
        try products.check([identifier])
        return try await answer(identifier, try await promotions.overrides, products, call)
    }

    private func putVisibility(at scope: OverrideScope, _ call: Call) async throws -> Reply<VisibilityResponse<Product>>
    {
        let identifier = try call.parameter(.productIdentifier, of: "product")
        let body = try await call.body(of: PromotionRoutes.putVisibility)
        let products = try await WholeProducts([identifier], at: scope, services, call.context())
        try products.check([identifier])
        let overrides = try await services.call(
            PromotionEndpoints.putVisibility,
            PutPromotionVisibilityRequest(
                bundleId: scope.bundleId, deviceId: scope.installation.deviceId, productIdentifier: identifier,
                visibility: body.visibility), for: call)
        return try await answer(identifier, overrides, products, call)
    }

    private func answer(
        _ identifier: String, _ overrides: PromotionOverrides, _ products: WholeProducts, _ call: Call
    ) async throws -> Reply<VisibilityResponse<Product>> {
        try Reply(
            VisibilityResponse(
                productIdentifier: identifier, visibility: overrides.visibility(of: identifier),
                products: try await presented(products.inOrder([identifier]), call)))
    }

    /// Adds each product's eligibility for the session's customer. For the operator it is `unknown`.
    private func presented(
        _ products: [EncodedProduct], _ call: Call
    ) async throws(StoreError) -> [ForwardedProduct] {
        var answers = EligibilityResults(nil)
        let subscriptions = products.filter { $0.type == .autoRenewable }.map(\.productIdentifier)
        if case .session = call.principal, !subscriptions.isEmpty {
            let customer = await accounts.customer(call)
            answers = try await eligibility.results(
                for: subscriptions, of: customer.reference, in: customer.storefront, call)
        }
        return products.map(answers.form(of:))
    }
}

extension NewOrder: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers, at: "$.productIdentifiers")
        var seen: Set<ExactText> = []
        for (index, product) in productIdentifiers.enumerated() where !seen.insert(product).inserted {
            throw .invalid("$.productIdentifiers[\(index)]", "is listed twice")
        }
    }
}

/// The installation whose overrides a request concerns, and the storefront that prices its response.
struct OverrideScope: Sendable {
    var installation: InstallationReference
    /// Alpha-3 country code.
    var storefront: String

    var bundleId: String { installation.bundleId }
}

/// Products of an app's catalogue, for sale or not. A device may order products that are not promoted yet.
struct WholeProducts: Sendable {
    private let products: [ExactText: EncodedProduct]

    /// - Parameter endsAtUnknown: Whether to stop at the first unknown product, for a list that is rejected when one is
    ///   unknown.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` without Catalog.
    init(
        _ identifiers: [String], at scope: OverrideScope, _ services: ServiceCaller, _ context: CallContext,
        endsAtUnknown: Bool = false
    ) async throws(StoreError) {
        guard !identifiers.isEmpty else {
            products = [:]
            return
        }
        let found = try await ProductsInParts(
            services: services, bundleId: scope.bundleId, storefront: scope.storefront, identifiers: identifiers
        ).run(context)
        var products = Dictionary(exactly: found.products.map { ($0.productIdentifier, $0) })
        // Products that cannot be bought there are missing from the reply. There are few of them, if any.
        for identifier in found.invalidProductIdentifiers {
            products[identifier] = try await Self.unsold(identifier, at: scope, services, context)
            if endsAtUnknown, products[identifier] == nil { break }
        }
        self.products = products
    }

    /// Checks that all products exist.
    /// - Throws: `productNotFound` that names the first missing one.
    func check(_ identifiers: [String]) throws(StoreError) {
        for identifier in identifiers where products[identifier] == nil {
            throw StoreError(
                .productNotFound, "the app has no product '\(identifier)'",
                details: ["productIdentifier": .string(identifier)])
        }
    }

    /// Returns the products in the order of `identifiers`. Products that the catalogue does not have are omitted.
    func inOrder(_ identifiers: [String]) -> [EncodedProduct] { identifiers.compactMap { products[$0] } }

    /// Reads a product that cannot be bought in the storefront.
    /// - Returns: The product, or nil when the catalogue does not have it.
    private static func unsold(
        _ identifier: String, at scope: OverrideScope, _ services: ServiceCaller, _ context: CallContext
    ) async throws(StoreError) -> EncodedProduct? {
        do {
            let facts = try await services.call(
                CatalogEndpoints.productPromotion,
                ProductPromotionRequest(
                    bundleId: scope.bundleId, productIdentifier: identifier, storefront: scope.storefront),
                context: context)
            return try EncodedProduct(facts.product)
        } catch  where error.code == .productNotFound || error.code == .notFound {
            return nil
        }
    }
}

import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var adminRoutes: [Route] {
        [
            Route(AppRoutes.list) { [self] in try await apps($0) },
            Route(AppRoutes.get) { [self] in try await app($0) },
            Route(AppRoutes.put) { [self] in try await putApp($0) },
            Route(AppRoutes.exportCatalog) { [self] in try await exportCatalog($0) },
            Route(AppRoutes.importCatalog) { [self] in
                try await importCatalog($0)
            },
            Route(AppRoutes.products) { [self] in try await catalogProducts($0) },
            Route(TransactionRoutes.search) { [self] in try await allTransactions($0) },
            Route(TransactionRoutes.find) { [self] in
                try await services.call(
                    PaymentEndpoints.findTransaction, try $0.scoped(.id, of: "transaction"), context: $0.context())
            },
        ]
    }

    private func apps(_ call: Call) async throws -> AppsPage {
        try await services.call(CatalogEndpoints.listApps, try call.page(), context: call.context())
    }

    private func app(_ call: Call) async throws -> App {
        let request = AppRequest(bundleId: try call.bundleId())
        return try await services.call(CatalogEndpoints.getApp, request, context: call.context())
    }

    private func putApp(_ call: Call) async throws -> App {
        let bundleId = try call.bundleId()
        let settings = try await call.body(of: AppRoutes.put)
        try Self.check(settings)
        let request = PutAppRequest(bundleId: bundleId, settings: settings)
        return try await services.call(CatalogEndpoints.putApp, request, context: call.context())
    }

    /// - Throws: `requestInvalid` that names the member.
    private static func check(_ settings: AppSettings) throws(StoreError) {
        guard settings.name.unicodeScalars.count <= 64 else {
            throw .invalid("$.name", "must be at most 64 characters long")
        }
        try Identifier.check(settings.currentVersion, at: "$.currentVersion", lengthMax: 32)
        if let version = settings.promotionsSupportedSince {
            try Identifier.check(version, at: "$.promotionsSupportedSince", lengthMax: 32)
        }
        if let limit = settings.unfinishedLimit, limit < 1 {
            throw .invalid("$.unfinishedLimit", "must be 1 or more, or null for none")
        }
    }

    /// Lists every product of the catalogue, in its order, priced for one storefront.
    private func catalogProducts(_ call: Call) async throws -> ProductsPageResponse {
        let storefront = try call.query.single("storefront") ?? Self.defaultStorefront
        _ = try await storefronts.find(storefront, at: "query storefront", call)
        let page = try await services.call(
            CatalogEndpoints.listProducts,
            ProductsPageRequest(
                bundleId: try call.bundleId(), storefront: storefront, after: try call.after(),
                limit: try call.limit(HTTPLimits.adminPageMax)),
            context: call.context())
        return ProductsPageResponse(products: page.products, after: page.after)
    }

    /// Lists transactions of all customers; `records` names the customer of each.
    private func allTransactions(_ call: Call) async throws -> TransactionsPage {
        let request = TransactionListRequest(
            bundleId: try call.bundleFilter(), account: try call.accountFilter(),
            state: try call.query.choice("state", TransactionState.self),
            isFinished: try call.query.boolean("finished"),
            after: try call.after(), limit: try call.limit())
        return try await services.call(PaymentEndpoints.listTransactions, request, context: call.context())
    }

    /// Storefront used when the request names none; alpha-3 country code.
    static let defaultStorefront = "USA"
}

extension Call {
    /// The app the path names.
    /// - Throws: `requestInvalid`.
    func bundleId() throws(StoreError) -> String {
        let text = try parameter(.bundleId)
        try Identifier.check(text, as: .bundle, at: "bundleId")
        return try app(text)
    }

    /// The app that `?bundleId=` narrows a list to.
    /// - Throws: `requestInvalid`.
    func bundleFilter() throws(StoreError) -> String? {
        guard let text = try query.single("bundleId") else { return store?.bundleId }
        try Identifier.check(text, as: .bundle, at: "query bundleId")
        return try app(text)
    }

    /// The account that `?account=` narrows a list to.
    /// - Throws: `requestInvalid`.
    func accountFilter() throws(StoreError) -> String? {
        guard let text = try query.single("account") else { return nil }
        try Identifier.check(text, as: .account, at: "query account")
        return text
    }
}

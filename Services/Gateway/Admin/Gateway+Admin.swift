import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var adminRoutes: [Route] {
        [
            forward(AppRoutes.list, to: CatalogEndpoints.listApps) { try $0.page() },
            forward(AppRoutes.get, to: CatalogEndpoints.getApp) { AppRequest(bundleId: try $0.bundleId()) },
            forward(AppRoutes.put, to: CatalogEndpoints.putApp) { call, settings in
                PutAppRequest(bundleId: try call.bundleId(), settings: settings)
            },
            Route(AppRoutes.exportCatalog) { [self] in try await exportCatalog($0) },
            Route(AppRoutes.importCatalog) { [self] in try await importCatalog($0) },
            // Every product of the catalogue, in its order, priced for one storefront.
            forward(AppRoutes.products, to: CatalogEndpoints.listProducts) { [self] call in
                let storefront = try await namedStorefront(call) ?? Self.defaultStorefront
                return ProductsPageRequest(
                    bundleId: try call.bundleId(), storefront: storefront, after: try call.after(),
                    limit: try call.limit(HTTPLimits.adminPageMax))
            } reply: {
                try Reply(ProductsPageResponse(products: $0.products, after: $0.after))
            },
            // `records` names the customer of each transaction.
            forward(TransactionRoutes.search, to: PaymentEndpoints.listTransactions) { call in
                TransactionListRequest(
                    bundleId: try call.bundleFilter(), account: try call.accountFilter(),
                    state: try call.query.choice("state", TransactionState.self),
                    isFinished: try call.query.boolean("finished"), after: try call.after(), limit: try call.limit())
            },
            forward(TransactionRoutes.find, to: PaymentEndpoints.findTransaction) { try $0.transaction() },
        ]
    }

    /// Returns the app that the path names.
    /// - Throws: `notFound` for an app without a catalogue.
    func existingApp(_ call: Call) async throws(StoreError) -> String {
        let bundleId = try call.bundleId()
        try await apps.check(bundleId, call)
        return bundleId
    }

    /// Returns the storefront that `?storefront=` names, or nil.
    /// - Throws: `requestInvalid` for an unknown one.
    func namedStorefront(_ call: Call) async throws(StoreError) -> String? {
        guard let code = try call.query.single("storefront") else { return nil }
        return try await storefronts.find(code, at: "query storefront", call.context()).countryCode
    }

    /// The alpha-3 country code used when the request names no storefront.
    static let defaultStorefront = "USA"
}

extension AppSettings: CheckedBody {
    package func validate() throws(StoreError) {
        guard name.unicodeScalars.count <= 64 else { throw .invalid("$.name", "must be at most 64 characters long") }
        try Identifier.check(currentVersion, at: "$.currentVersion", lengthMax: 32)
        if let promotionsSupportedSince {
            try Identifier.check(promotionsSupportedSince, at: "$.promotionsSupportedSince", lengthMax: 32)
        }
        if let unfinishedLimit, unfinishedLimit < 1 {
            throw .invalid("$.unfinishedLimit", "must be 1 or more, or null for none")
        }
    }
}

extension Call {
    /// The transaction that the path names for the operator.
    /// - Throws: `notFound`.
    func transaction() throws(StoreError) -> ScopedIdentifier { try scoped(.id, of: "transaction") }

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

extension Gateway {
    /// Routes by which the operator approves, declines, resolves, redelivers or deletes a transaction.
    var operatingRoutes: [Route] {
        [
            forward(
                TransactionRoutes.approve, to: PaymentEndpoints.approveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            forward(TransactionRoutes.decline, to: PaymentEndpoints.declineTransaction, else: .sameAgainTells) {
                OperateTransactionRequest(try $0.transaction(), error: $1.error?.code)
            },
            forward(
                TransactionRoutes.resolve, to: PaymentEndpoints.resolveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            forward(
                TransactionRoutes.redeliver, to: PaymentEndpoints.redeliverTransaction,
                else:
                    "the request was sent and its outcome is not known here; repeating it delivers once more"
            ) { call, _ in try call.transaction() },
            forward(TransactionRoutes.delete, to: PaymentEndpoints.deleteTransaction, else: .sameAgainTells) {
                try $0.transaction()
            },
        ]
    }
}

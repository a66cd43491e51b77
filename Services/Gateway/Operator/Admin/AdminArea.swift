import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which the operator lists, sets and deletes apps, and lists their products.
struct AdminArea: Area {
    let services: ServiceCaller
    let directories: Directories
    let deletions: AppDeletions

    var routes: [Route] {
        [
            Route(AppRoutes.list) { try await list($0) },
            Route(AppRoutes.delete) { call in
                try await delete(call)
                return .noContent
            },
            services.forward(AppRoutes.get, to: CatalogEndpoints.getApp) { AppRequest(bundleId: try $0.bundleId()) },
            services.forward(AppRoutes.put, to: CatalogEndpoints.putApp) { call, settings in
                PutAppRequest(bundleId: try call.bundleId(), settings: settings)
            },
            // Every product of the catalogue, in its order, priced for one storefront.
            services.forward(AppRoutes.products, to: CatalogEndpoints.listProducts) { call in
                ProductsPageRequest(
                    bundleId: try call.bundleId(), storefront: try await directories.namedStorefront(call),
                    after: try call.after(), limit: try call.limit(HTTPLimits.adminPageMax))
            } reply: {
                try Reply(ProductsPageResponse(products: $0.products, after: $0.after))
            },
        ]
    }

    private func list(_ call: Call) async throws -> AppsPage {
        let request = try call.page()
        var page = try await services.call(CatalogEndpoints.listApps, request, for: call)
        guard call.store == nil, request.after == nil else { return page }
        let deleting = try await deletions.list(limit: HTTPLimits.adminPageMax)
        page.deleting = deleting.isEmpty ? nil : deleting
        return page
    }

    /// Begins to delete an app, and closes it in Catalog.
    ///
    /// A gateway goes on with it (``AppRemover``), also when Catalog is away now. A repeated request closes the app
    /// again, which changes nothing.
    /// - Throws: `notFound`, or `serviceUnavailable` without Catalog. It is that too for a new app of the name in the
    ///   moment between the end of the former deletion in Catalog and that in the gateway.
    private func delete(_ call: Call) async throws {
        let bundleId = try call.bundleId()
        if let store = call.store {
            throw StoreError.invalid(
                "path bundleId", "is the app of the isolated store \(store.store): delete the store, or name none")
        }
        let number: Int64
        if let known = try await deletions.number(of: bundleId) {
            number = known
        } else {
            _ = try await services.call(CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), for: call)
            number = try await deletions.begin(bundleId)
        }
        _ = try await services.call(
            CatalogEndpoints.removeApp, RemoveAppRequest(bundleId: bundleId, deletion: number), for: call)
        guard try await hasApp(bundleId, call) else { return }
        throw StoreError(
            .serviceUnavailable,
            "app \(bundleId) is new, and the deletion of its predecessor is ending; repeat the request",
            retryAfterMs: 1_000)
    }

    private func hasApp(_ bundleId: String, _ call: Call) async throws(StoreError) -> Bool {
        do {
            _ = try await services.call(CatalogEndpoints.getApp, AppRequest(bundleId: bundleId), for: call)
            return true
        } catch  where error.code == .notFound {
            return false
        }
    }
}

extension AppSettings: CheckedBody {
    package func validate() throws(StoreError) {
        guard name.unicodeScalars.count <= Self.nameScalarsMax else {
            throw .invalid("$.name", "must be at most \(Self.nameScalarsMax) characters long")
        }
        try Identifier.check(currentVersion, at: "$.currentVersion", lengthMax: Self.versionScalarsMax)
        if let promotionsSupportedSince {
            try Identifier.check(
                promotionsSupportedSince, at: "$.promotionsSupportedSince", lengthMax: Self.versionScalarsMax)
        }
        if let unfinishedLimit, unfinishedLimit < 1 {
            throw .invalid("$.unfinishedLimit", "must be 1 or more, or null for none")
        }
    }
}

/// The routes by which the operator finds, approves, declines, resolves, redelivers or deletes a transaction.
struct OperatingArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            // `records` names the customer of each transaction.
            services.forward(TransactionRoutes.search, to: PaymentEndpoints.listTransactions) { call in
                TransactionListRequest(
                    bundleId: try call.bundleFilter(), account: try call.accountFilter(),
                    state: try call.query.choice("state", TransactionState.self),
                    isFinished: try call.query.boolean("finished"), after: try call.after(), limit: try call.limit())
            },
            services.forward(TransactionRoutes.find, to: PaymentEndpoints.findTransaction) { try $0.transaction() },
            services.forward(
                TransactionRoutes.approve, to: PaymentEndpoints.approveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            services.forward(
                TransactionRoutes.decline, to: PaymentEndpoints.declineTransaction, else: .sameAgainTells
            ) { OperateTransactionRequest(try $0.transaction(), error: $1.error?.code) },
            services.forward(
                TransactionRoutes.resolve, to: PaymentEndpoints.resolveTransaction, else: .sameAgainTells
            ) { call, _ in OperateTransactionRequest(try call.transaction()) },
            services.forward(
                TransactionRoutes.redeliver, to: PaymentEndpoints.redeliverTransaction,
                else:
                    "the request was sent and its outcome is not known here; repeating it delivers once more"
            ) { call, _ in try call.transaction() },
            services.forward(TransactionRoutes.delete, to: PaymentEndpoints.deleteTransaction, else: .sameAgainTells) {
                try $0.transaction()
            },
        ]
    }
}

import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes by which the operator lists and sets apps, and lists their products.
struct AdminArea: Area {
    let services: ServiceCaller
    let directories: Directories

    var routes: [Route] {
        [
            services.forward(AppRoutes.list, to: CatalogEndpoints.listApps) { try $0.page() },
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

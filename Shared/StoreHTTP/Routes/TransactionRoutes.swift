import StoreModels

/// Transactions of a customer, and of all customers for the operator.
package enum TransactionRoutes {
    package static let unfinished = HTTPRoute(.get, "/v1/transactions", .app, query: .page)
    /// Server-sent events.
    package static let stream = HTTPRoute(.get, "/v1/transactions/stream", .app, query: ["promotedPurchases"])
    package static let get = HTTPRoute(.get, "/v1/transactions/{id}", .app)
    package static let finish = HTTPRoute(.post, "/v1/transactions/{id}/finish", .app)
    package static let answerStorefrontChange = HTTPRoute(.post, "/v1/transactions/{id}/continue", .app)
    package static let history = HTTPRoute(.get, "/v1/history", .app, query: .page)
    package static let search = HTTPRoute(
        .get, "/admin/v1/transactions", .admin, query: ["bundleId", "account", "state", "finished", "after", "limit"])
    package static let approve = HTTPRoute(.post, "/admin/v1/transactions/{id}/approve", .admin)
    package static let decline = HTTPRoute(.post, "/admin/v1/transactions/{id}/decline", .admin)
    package static let resolve = HTTPRoute(.post, "/admin/v1/transactions/{id}/resolve", .admin)
    package static let delete = HTTPRoute(.delete, "/admin/v1/transactions/{id}", .admin)
    package static let refund = HTTPRoute(.post, "/admin/v1/transactions/{id}/refund", .admin)
    package static let revoke = HTTPRoute(.post, "/admin/v1/transactions/{id}/revoke", .admin)
    package static let extend = HTTPRoute(.post, "/admin/v1/transactions/{id}/extend", .admin)

    /// An operation without a body, named by the last part of its path.
    package static func operate(_ operation: OperateSubscriptionRequest.Operation) -> HTTPRoute {
        HTTPRoute(.post, HTTPPath("/admin/v1/transactions/{id}/\(operation.rawValue)"), .admin)
    }

    /// Operations of ``operate(_:)``.
    package static let operations: [OperateSubscriptionRequest.Operation] =
        [.renew, .expire, .enableAutoRenew, .disableAutoRenew, .failNextRenewal, .resolveBilling]

    static let all: [HTTPRoute] =
        [
            unfinished, stream, get, finish, answerStorefrontChange, history, search, approve, decline, resolve,
            delete, refund, revoke, extend,
        ] + operations.map(operate)
}

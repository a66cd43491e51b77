import StoreModels

/// Transactions of a customer, and of all customers for the operator.
package enum TransactionRoutes {
    /// Lists the device's unfinished transactions, oldest first.
    package static let unfinished = HTTPEndpoint<Empty, TransactionsPage>(
        .get, "/v1/transactions", .app, query: .page)
    /// Server-sent events.
    package static let stream = HTTPEndpoint<Empty, EventStream>(
        .get, "/v1/transactions/stream", .app, query: ["promotedPurchases"], urgency: .unlimited)
    /// Reads one transaction of the session's customer.
    package static let get = HTTPEndpoint<Empty, PaymentTransaction>(
        .get, "/v1/transactions/{id}", .app)
    /// Takes a transaction out of the queue; repeating it changes nothing.
    package static let finish = HTTPEndpoint<Empty, PaymentTransaction>(
        .post, "/v1/transactions/{id}/finish", .app, isBodyOptional: true, urgency: .completion)
    /// Continues or stops a purchase in another storefront; a late answer changes nothing.
    package static let answerStorefrontChange = HTTPEndpoint<ContinueAnswer, PaymentTransaction>(
        .post, "/v1/transactions/{id}/continue", .app, urgency: .purchase)
    /// Lists purchased and restored transactions, finished or not.
    package static let history = HTTPEndpoint<Empty, TransactionsPage>(
        .get, "/v1/history", .app, query: .page)
    /// Lists transactions across customers, for the operator.
    package static let search = HTTPEndpoint<Empty, TransactionsPage>(
        .get, "/admin/v1/transactions", .admin, query: ["bundleId", "account", "state", "finished", "after", "limit"])
    /// Reads one transaction of any customer, for the operator.
    package static let find = HTTPEndpoint<Empty, RecordedTransaction>(
        .get, "/admin/v1/transactions/{id}", .admin)
    /// Gives an unfinished transaction to the app's observers once more.
    package static let redeliver = HTTPEndpoint<Empty, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/redeliver", .admin, isBodyOptional: true)
    /// Approves a deferred transaction.
    package static let approve = HTTPEndpoint<Empty, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/approve", .admin, isBodyOptional: true)
    /// Declines a deferred transaction with an error of the operator's choice.
    package static let decline = HTTPEndpoint<OptionalError, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/decline", .admin, isBodyOptional: true)
    /// Resolves an interrupted purchase; a new transaction takes its place.
    package static let resolve = HTTPEndpoint<Empty, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/resolve", .admin, isBodyOptional: true)
    /// Deletes a transaction for good.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/transactions/{id}", .admin)
    /// Refunds the money that is left, and revokes the entitlement.
    package static let refund = HTTPEndpoint<RefundReason, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/refund", .admin, isBodyOptional: true)
    /// Revokes the entitlement without the money.
    package static let revoke = HTTPEndpoint<RefundReason, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/revoke", .admin, isBodyOptional: true)
    /// Opens the customer's request for a refund.
    package static let openRefundRequest = HTTPEndpoint<RefundRequestReason, CustomerRefundRequest>(
        .post, "/admin/v1/transactions/{id}/refundRequest", .admin)
    /// Lists an app's requests for refunds that wait for an answer, oldest first.
    package static let refundRequests = HTTPEndpoint<Empty, RefundRequestsPage>(
        .get, "/admin/v1/apps/{bundleId}/refund-requests", .admin, query: .page)
    /// Reads a request for a refund, with what the app's server said of the consumption.
    package static let refundRequest = HTTPEndpoint<Empty, CustomerRefundRequest>(
        .get, "/admin/v1/refundRequests/{refundRequestIdentifier}", .admin)
    /// Grants a request for a refund, as a whole or in part.
    package static let grantRefundRequest = HTTPEndpoint<RefundShare, CustomerRefundRequest>(
        .post, "/admin/v1/refundRequests/{refundRequestIdentifier}/grant", .admin, isBodyOptional: true)
    /// Declines a request for a refund.
    package static let declineRefundRequest = HTTPEndpoint<Empty, CustomerRefundRequest>(
        .post, "/admin/v1/refundRequests/{refundRequestIdentifier}/decline", .admin, isBodyOptional: true)
    /// Takes a refund back: the purchase is paid again.
    package static let reverseRefund = HTTPEndpoint<Empty, PaymentTransaction>(
        .post, "/admin/v1/transactions/{id}/reverseRefund", .admin, isBodyOptional: true)
    /// Makes a subscription's present period longer.
    package static let extend = HTTPEndpoint<Extension, OperateSubscriptionReply>(
        .post, "/admin/v1/transactions/{id}/extend", .admin)

    /// An operation without a body, named by the last part of its path.
    package static func operate(
        _ operation: OperateSubscriptionRequest.Operation
    ) -> HTTPEndpoint<Empty, OperateSubscriptionReply> {
        HTTPEndpoint(
            .post, HTTPPath("/admin/v1/transactions/{id}/\(operation.rawValue)"), .admin, isBodyOptional: true)
    }

    /// Operations of ``operate(_:)``.
    package static let operations: [OperateSubscriptionRequest.Operation] =
        [.renew, .expire, .enableAutoRenew, .disableAutoRenew, .failNextRenewal, .resolveBilling]

    static let all: [HTTPRoute] =
        [
            unfinished.route, stream.route, get.route, finish.route, answerStorefrontChange.route,
            history.route, search.route, find.route, redeliver.route, approve.route, decline.route, resolve.route,
            delete.route, refund.route, revoke.route, openRefundRequest.route, refundRequests.route,
            refundRequest.route, grantRefundRequest.route, declineRefundRequest.route, reverseRefund.route,
            extend.route,
        ] + operations.map { operate($0).route }
}

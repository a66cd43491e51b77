import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which an app lists and changes its customer's subscriptions.
    var subscriptionRoutes: [Route] {
        [
            forward(SubscriptionRoutes.list, to: SubscriptionEndpoints.list) {
                try $0.subscriptions(of: $0.session.customer)
            },
            // Cancels, reactivates, changes the product, or reverts the change.
            forward(
                SubscriptionRoutes.update, to: SubscriptionEndpoints.update,
                else: "the change was sent and its outcome is not known here; repeating it is safe"
            ) { call, change in
                UpdateSubscriptionRequest(
                    bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier,
                    originalTransactionIdentifier: try call.ownSubscription(), willAutoRenew: change.willAutoRenew,
                    autoRenewProductIdentifier: change.autoRenewProductIdentifier)
            },
            // The app defers the question about a higher price, or shows it.
            forward(SubscriptionRoutes.showPriceConsent, to: SubscriptionEndpoints.showPriceConsent) { call, answer in
                ShowPriceConsentRequest(
                    bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier,
                    originalTransactionIdentifier: try call.ownSubscription(), show: answer.show)
            },
        ]
    }
}

extension Call {
    /// The page that the query names of a customer's subscriptions, one per group the customer ever subscribed to.
    /// - Throws: `requestInvalid`.
    func subscriptions(of customer: CustomerReference) throws(StoreError) -> SubscriptionsRequest {
        SubscriptionsRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, after: try after(),
            limit: try limit())
    }

    fileprivate func ownSubscription() throws(StoreError) -> String {
        try parameter(.originalTransactionIdentifier, of: "subscription")
    }
}

extension Gateway {
    /// Routes by which the operator refunds purchases, and reads and changes subscriptions. `{id}` is any transaction
    /// of a subscription, by `id` or `transactionIdentifier`.
    var subscriptionOperatingRoutes: [Route] {
        let operations = TransactionRoutes.operations.map { operation in
            operate(TransactionRoutes.operate(operation)) { call, _ in
                OperateSubscriptionRequest(try call.transaction(), operation: operation)
            }
        }
        let others: [Route] = [
            takeBack(TransactionRoutes.refund, SubscriptionEndpoints.refund),
            takeBack(TransactionRoutes.revoke, SubscriptionEndpoints.revoke),
            forward(TransactionRoutes.openRefundRequest, to: ServerAPIEndpoints.openRefundRequest) {
                OpenRefundRequest(try $0.transaction(), reason: $1.reason)
            } reply: {
                try Reply($0, status: .created)
            },
            forward(TransactionRoutes.refundRequests, to: ServerAPIEndpoints.listRefundRequests) { call in
                RefundRequestsRequest(
                    bundleId: try call.bundleId(), after: try call.after(), limit: try call.limit())
            },
            forward(TransactionRoutes.refundRequest, to: ServerAPIEndpoints.getRefundRequest) {
                try $0.refundRequest()
            },
            forward(TransactionRoutes.grantRefundRequest, to: ServerAPIEndpoints.grantRefundRequest) {
                GrantRefundRequest(try $0.refundRequest(), type: $1.type, percentage: $1.percentage)
            },
            forward(TransactionRoutes.declineRefundRequest, to: ServerAPIEndpoints.declineRefundRequest) { call, _ in
                try call.refundRequest()
            },
            forward(TransactionRoutes.reverseRefund, to: ServerAPIEndpoints.reverseRefund) { call, _ in
                RefundRequest(try call.transaction())
            },
            operate(TransactionRoutes.extend) {
                OperateSubscriptionRequest(try $0.transaction(), operation: .extend, days: $1.days)
            },
            forward(SubscriptionRoutes.search, to: SubscriptionEndpoints.search) { call in
                SubscriptionListRequest(
                    bundleId: try call.bundleFilter(), account: try call.accountFilter(),
                    state: try call.query.choice("state", SubscriptionState.self), after: try call.after(),
                    limit: try call.limit())
            },
            forward(SubscriptionRoutes.timeline, to: SubscriptionEndpoints.timeline) { call in
                TimelineRequest(
                    try call.scoped(.id, of: "subscription"), after: try call.after(),
                    limit: try call.limit(HTTPLimits.adminPageMax))
            },
        ]
        return others + operations
    }

    /// Refunds a purchase, or revokes it without money. A repeated request gets the transaction of the first one.
    private func takeBack(
        _ route: HTTPEndpoint<RefundReason, PaymentTransaction>, _ endpoint: Endpoint<RefundRequest, PaymentTransaction>
    ) -> Route {
        forward(route, to: endpoint, else: .sameAgainTells) {
            RefundRequest(try $0.transaction(), reason: $1.reason)
        }
    }

    /// Runs an operation once. It is not safe to repeat: a second `renew` is a second renewal.
    private func operate<Body: Decodable>(
        _ route: HTTPEndpoint<Body, OperateSubscriptionReply>,
        _ request: @escaping @Sendable (Call, Body) async throws -> OperateSubscriptionRequest
    ) -> Route {
        let unknown = UnknownOutcome(
            "the request was sent and its outcome is not known here; the subscription's timeline shows it",
            isRepeatable: false)
        return forward(route, to: SubscriptionEndpoints.operate, else: unknown, request)
    }
}

extension Call {
    fileprivate func refundRequest() throws(StoreError) -> ScopedIdentifier {
        try scoped(.refundRequestIdentifier, of: "refund request")
    }
}

extension Extension: CheckedBody {
    /// Range of days, as in Apple's server API.
    static let daysAllowed = 1...90

    package func validate() throws(StoreError) {
        guard Self.daysAllowed.contains(days) else {
            throw .invalid("$.days", "must be \(Self.daysAllowed.lowerBound) to \(Self.daysAllowed.upperBound)")
        }
    }
}

extension SubscriptionChange: CheckedBody {
    package func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

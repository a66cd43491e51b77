import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which the operator refunds purchases, and reads and changes subscriptions. `{id}` is any transaction
/// of a subscription, by `id` or `transactionIdentifier`.
struct SubscriptionOperatingArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        let operations = TransactionRoutes.operations.map { operation in
            operate(TransactionRoutes.operate(operation)) { call, _ in
                OperateSubscriptionRequest(try call.transaction(), operation: operation)
            }
        }
        let others: [Route] = [
            takeBack(TransactionRoutes.refund, SubscriptionEndpoints.refund),
            takeBack(TransactionRoutes.revoke, SubscriptionEndpoints.revoke),
            services.forward(TransactionRoutes.openRefundRequest, to: ServerAPIEndpoints.openRefundRequest) {
                OpenRefundRequest(try $0.transaction(), reason: $1.reason)
            } reply: {
                try Reply($0, status: .created)
            },
            services.forward(TransactionRoutes.refundRequests, to: ServerAPIEndpoints.listRefundRequests) { call in
                RefundRequestsRequest(
                    bundleId: try call.bundleId(), after: try call.after(), limit: try call.limit())
            },
            services.forward(TransactionRoutes.refundRequest, to: ServerAPIEndpoints.getRefundRequest) {
                try $0.refundRequest()
            },
            services.forward(TransactionRoutes.grantRefundRequest, to: ServerAPIEndpoints.grantRefundRequest) {
                GrantRefundRequest(try $0.refundRequest(), type: $1.type, percentage: $1.percentage)
            },
            services.forward(TransactionRoutes.declineRefundRequest, to: ServerAPIEndpoints.declineRefundRequest) {
                call, _ in
                try call.refundRequest()
            },
            services.forward(TransactionRoutes.reverseRefund, to: ServerAPIEndpoints.reverseRefund) { call, _ in
                RefundRequest(try call.transaction())
            },
            operate(TransactionRoutes.extend) {
                OperateSubscriptionRequest(try $0.transaction(), operation: .extend, days: $1.days)
            },
            services.forward(SubscriptionRoutes.search, to: SubscriptionEndpoints.search) { call in
                SubscriptionListRequest(
                    bundleId: try call.bundleFilter(), account: try call.accountFilter(),
                    state: try call.query.choice("state", SubscriptionState.self), after: try call.after(),
                    limit: try call.limit())
            },
            services.forward(SubscriptionRoutes.timeline, to: SubscriptionEndpoints.timeline) { call in
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
        services.forward(route, to: endpoint, else: .sameAgainTells) {
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
        return services.forward(route, to: SubscriptionEndpoints.operate, else: unknown, request)
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

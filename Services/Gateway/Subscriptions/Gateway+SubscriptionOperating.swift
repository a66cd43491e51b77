import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which the operator refunds purchases, and reads and changes subscriptions. `{id}` is any transaction
    /// of a subscription, by `id` or `transactionIdentifier`.
    var subscriptionOperatingRoutes: [Route] {
        [
            Route(TransactionRoutes.refund) { [self] in
                try await takeBack($0, SubscriptionEndpoints.refund)
            },
            Route(TransactionRoutes.revoke) { [self] in
                try await takeBack($0, SubscriptionEndpoints.revoke)
            },
            Route(TransactionRoutes.openRefundRequest) { [self] in try await openRefundRequest($0) },
            Route(TransactionRoutes.refundRequests) { [self] in try await openRefundRequests($0) },
            Route(TransactionRoutes.refundRequest) { [self] in
                try await services.call(
                    ServerAPIEndpoints.getRefundRequest, try $0.refundRequest(), context: $0.context())
            },
            Route(TransactionRoutes.grantRefundRequest) { [self] in try await grantRefundRequest($0) },
            Route(TransactionRoutes.declineRefundRequest) { [self] in
                _ = try await $0.body(of: TransactionRoutes.declineRefundRequest)
                return try await services.call(
                    ServerAPIEndpoints.declineRefundRequest, try $0.refundRequest(), context: $0.context())
            },
            Route(TransactionRoutes.reverseRefund) { [self] in
                _ = try await $0.body(of: TransactionRoutes.reverseRefund)
                return try await services.call(
                    ServerAPIEndpoints.reverseRefund,
                    RefundRequest(try $0.scoped(.id, of: "transaction")), context: $0.context())
            },
            Route(TransactionRoutes.extend) { [self] in
                let body = try await $0.body(of: TransactionRoutes.extend)
                try body.validate()
                return try await operate($0, .extend, days: body.days)
            },
            Route(SubscriptionRoutes.search) { [self] in try await allSubscriptions($0) },
            Route(SubscriptionRoutes.timeline) { [self] in
                try await timeline($0)
            },
        ] + TransactionRoutes.operations.map(route)
    }

    private func route(_ operation: OperateSubscriptionRequest.Operation) -> Route {
        Route(TransactionRoutes.operate(operation)) { [self] in
            _ = try await $0.body(of: TransactionRoutes.operate(operation))
            return try await operate($0, operation)
        }
    }

    /// Refunds a purchase, or revokes it without money. A repeated request gets the transaction of the first one.
    private func takeBack(_ call: Call, _ endpoint: Endpoint<RefundRequest, PaymentTransaction>) async throws
        -> PaymentTransaction
    {
        let body = try await call.body(RefundReason.self, isOptional: true)
        let request = RefundRequest(try call.scoped(.id, of: "transaction"), reason: body.reason)
        return try await withKnownOutcome(
            else: "the request was sent and its outcome is not known here; the same again tells"
        ) { () async throws(StoreError) in try await services.call(endpoint, request, context: call.context()) }
    }

    /// Runs an operation once. It is not safe to repeat: a second `renew` is a second renewal.
    private func operate(
        _ call: Call, _ operation: OperateSubscriptionRequest.Operation, days: Int? = nil
    ) async throws -> OperateSubscriptionReply {
        let request = OperateSubscriptionRequest(
            try call.scoped(.id, of: "transaction"), operation: operation, days: days)
        return try await withKnownOutcome(
            else: "the request was sent and its outcome is not known here; the subscription's timeline tells",
            isRepeatable: false
        ) { () async throws(StoreError) in
            try await services.call(SubscriptionEndpoints.operate, request, context: call.context())
        }
    }

    private func openRefundRequest(_ call: Call) async throws -> Reply<CustomerRefundRequest> {
        let body = try await call.body(of: TransactionRoutes.openRefundRequest)
        let request = OpenRefundRequest(try call.scoped(.id, of: "transaction"), reason: body.reason)
        return try Reply(
            try await services.call(ServerAPIEndpoints.openRefundRequest, request, context: call.context()),
            status: .created)
    }

    private func openRefundRequests(_ call: Call) async throws -> RefundRequestsPage {
        let request = RefundRequestsRequest(
            bundleId: try call.bundleId(), after: try call.after(), limit: try call.limit())
        return try await services.call(ServerAPIEndpoints.listRefundRequests, request, context: call.context())
    }

    private func grantRefundRequest(_ call: Call) async throws -> CustomerRefundRequest {
        let body = try await call.body(of: TransactionRoutes.grantRefundRequest)
        let request = GrantRefundRequest(
            try call.refundRequest(), type: body.type, percentage: body.percentage)
        return try await services.call(ServerAPIEndpoints.grantRefundRequest, request, context: call.context())
    }

    private func allSubscriptions(_ call: Call) async throws -> SubscriptionsPage {
        let request = SubscriptionListRequest(
            bundleId: try call.bundleFilter(), account: try call.accountFilter(),
            state: try call.query.choice("state", SubscriptionState.self), after: try call.after(),
            limit: try call.limit())
        return try await services.call(SubscriptionEndpoints.search, request, context: call.context())
    }

    private func timeline(_ call: Call) async throws -> SubscriptionTimeline {
        let request = TimelineRequest(
            try call.scoped(.id, of: "subscription"), after: try call.after(),
            limit: try call.limit(HTTPLimits.adminPageMax))
        return try await services.call(SubscriptionEndpoints.timeline, request, context: call.context())
    }
}

extension Call {
    fileprivate func refundRequest() throws(StoreError) -> ScopedIdentifier {
        try scoped(.refundRequestIdentifier, of: "refund request")
    }
}

extension Extension {
    /// Range of days, as in Apple's server API.
    static let daysAllowed = 1...90

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        guard Self.daysAllowed.contains(days) else {
            throw .invalid("$.days", "must be \(Self.daysAllowed.lowerBound) to \(Self.daysAllowed.upperBound)")
        }
    }
}

extension SubscriptionChange {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

import StoreModels

/// Transactions of a customer, and of all customers for the operator.
package enum TransactionRoutes {
    /// Lists the device's unfinished transactions, oldest first.
    package static let unfinished = HTTPEndpoint<Empty, TransactionsPage>(
        "getTransactions", .get, "/v1/transactions", .app,
        parameters: .page, errors: [.notFound])
    /// Streams the customer's transactions to a device, live.
    ///
    /// Each GET is a launch or a resume, and closing it removes the observer. First comes `updatedTransactions` with
    /// all unfinished transactions, also when there are none, in pages of at most 100. Then come the products that the
    /// customer has lost, the ends of this device's restores that no stream of it has had yet, and `synchronized`. Live
    /// events follow, and `superseded` before the end when the app is launched again. Last-Event-ID never shortens
    /// this. A comment every 15 s names the services that are away.
    ///
    /// With `form=2` each live change is followed by StoreKit 2's events of it. Before `synchronized` none are sent:
    /// read `GET /v1/signed/transactions` then.
    package static let stream = HTTPEndpoint<Empty, EventStream>(
        "streamTransactions", .get, "/v1/transactions/stream", .app,
        parameters: [.promotedPurchases, .streamForm], urgency: .unlimited, needs: .storage,
        responses: [.ok("Server-sent events, at least once for each revision.", .events(StreamEventName.events))],
        errors: [.notFound, .handlerConflict, .tooMany])
    /// Reads one transaction of the session's customer.
    package static let get = HTTPEndpoint<Empty, PaymentTransaction>(
        "getTransaction", .get, "/v1/transactions/{id}", .app,
        responses: [
            .ok(links: [
                Link("finish", to: "finishTransaction", ["id": "$response.body#/id"], "Takes it out of the queue"),
                Link("download", to: "startDownload", ["id": "$response.body#/downloads/0/id"], "Its hosted content"),
            ])
        ])
    /// Takes a transaction out of the queue. Repeating it changes nothing.
    package static let finish = HTTPEndpoint<Empty, PaymentTransaction>(
        "finishTransaction", .post, "/v1/transactions/{id}/finish", .app,
        isBodyOptional: true, urgency: .completion,
        responses: [.ok(links: [Link("get", to: "getTransaction", ["id": "$response.body#/id"], "One")])],
        errors: [.notFinishable])
    /// Requests a refund of a purchase for the customer.
    ///
    /// The operator grants or declines it. The app's server gets a CONSUMPTION_REQUEST. While a request is open,
    /// another one is 409 with its `refundRequestIdentifier`.
    package static let requestRefund = HTTPEndpoint<NewRefundRequest, CustomerRefundRequest>(
        "requestRefund", .post, "/v1/transactions/{id}/refund-request", .app,
        isBodyOptional: true, responses: [.created()], errors: [.transactionState, .outcomeUnknown])
    /// Continues or stops a purchase in another storefront.
    ///
    /// The device that buys answers the transaction's `storefrontChange` with it: paymentQueue(_:shouldContinue:in:). A
    /// late answer, or a second one, changes nothing.
    package static let answerStorefrontChange = HTTPEndpoint<ContinueTransactionBody, PaymentTransaction>(
        "continueTransaction", .post, "/v1/transactions/{id}/continue", .app,
        urgency: .purchase,
        responses: [
            .ok("The transaction as it is then: purchased, failed with storeProductNotAvailable, or purchasing.")
        ])
    /// Lists purchased and restored transactions, finished or not.
    package static let history = HTTPEndpoint<Empty, TransactionsPage>(
        "getHistory", .get, "/v1/history", .app,
        parameters: .page, errors: [.notFound])
    /// Lists transactions across customers, for the operator.
    package static let search = HTTPEndpoint<Empty, TransactionsPage>(
        "listTransactions", .get, "/admin/v1/transactions", .admin,
        parameters: [
            .ofBundleId, .ofAccount,
            .state(TransactionState.self, as: "transactionState", example: "purchased"), .finished, .after,
            .limit,
        ])
    /// Reads one transaction of any customer, for the operator, with its entry of `records` as `record`.
    package static let find = HTTPEndpoint<Empty, RecordedTransaction>(
        "findTransaction", .get, "/admin/v1/transactions/{id}", .admin,
        responses: [
            .ok(links: [
                Link("redeliver", to: "redeliverTransaction", ["id": "$response.body#/id"], "Deliver it once more")
            ])
        ])
    /// Gives an unfinished transaction to the app's observers once more.
    ///
    /// The open streams of the customer's devices get it as `updatedTransactions`, as at a launch. Only its `revision`
    /// grows. A finished transaction, and one that is purchasing, is 409.
    package static let redeliver = HTTPEndpoint<Empty, PaymentTransaction>(
        "redeliverTransaction", .post, "/admin/v1/transactions/{id}/redeliver", .admin,
        isBodyOptional: true,
        responses: [
            .ok(links: [
                Link("find", to: "findTransaction", ["id": "$response.body#/id"], "The same, with its customer")
            ])
        ], errors: [.transactionState, .outcomeUnknown])
    /// Approves a deferred transaction.
    package static let approve = HTTPEndpoint<Empty, PaymentTransaction>(
        "approveTransaction", .post, "/admin/v1/transactions/{id}/approve", .admin,
        isBodyOptional: true, errors: [.transactionState, .outcomeUnknown])
    /// Declines a deferred transaction with an error of the operator's choice.
    package static let decline = HTTPEndpoint<OptionalError, PaymentTransaction>(
        "declineTransaction", .post, "/admin/v1/transactions/{id}/decline", .admin,
        isBodyOptional: true, errors: [.transactionState, .outcomeUnknown])
    /// Resolves an interrupted purchase. A new transaction takes its place.
    ///
    /// Repeating it returns the same transaction.
    package static let resolve = HTTPEndpoint<Empty, PaymentTransaction>(
        "resolveTransaction", .post, "/admin/v1/transactions/{id}/resolve", .admin,
        isBodyOptional: true, responses: [.ok("The new transaction, which supersedes the failed one.")],
        errors: [.transactionState, .outcomeUnknown])
    /// Deletes a transaction for good, and cancels a running payment first.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        "deleteTransaction", .delete, "/admin/v1/transactions/{id}", .admin,
        errors: [.outcomeUnknown])
    /// Refunds the money that is left, and revokes the entitlement.
    ///
    /// Repeating it returns the same transaction.
    package static let refund = HTTPEndpoint<RefundReason, PaymentTransaction>(
        "refundTransaction", .post, "/admin/v1/transactions/{id}/refund", .admin,
        isBodyOptional: true, responses: [.ok("The transaction with its `revocationDate`.")],
        errors: [.transactionState, .outcomeUnknown])
    /// Revokes the entitlement without the money.
    ///
    /// Repeating it returns the same transaction.
    package static let revoke = HTTPEndpoint<RefundReason, PaymentTransaction>(
        "revokeTransaction", .post, "/admin/v1/transactions/{id}/revoke", .admin,
        isBodyOptional: true, responses: [.ok("The transaction with its `revocationDate`.")],
        errors: [.transactionState, .outcomeUnknown])
    /// Opens the customer's request for a refund.
    ///
    /// The app's server gets a CONSUMPTION_REQUEST. A transaction has at most one open request.
    package static let openRefundRequest = HTTPEndpoint<RefundRequestBody, CustomerRefundRequest>(
        "openRefundRequest", .post, "/admin/v1/transactions/{id}/refundRequest", .admin,
        responses: [.created()], errors: [.transactionState, .outcomeUnknown])
    /// Lists an app's requests for refunds that wait for an answer, oldest first.
    package static let refundRequests = HTTPEndpoint<Empty, RefundRequestsPage>(
        "listRefundRequests", .get, "/admin/v1/apps/{bundleId}/refund-requests", .admin,
        parameters: .page,
        responses: [
            .ok(links: [
                Link(
                    "get", to: "getRefundRequest",
                    ["refundRequestIdentifier": "$response.body#/refundRequests/0/refundRequestIdentifier"],
                    "The first one")
            ])
        ])
    /// Reads a request for a refund, with the app server's report of the consumption.
    package static let refundRequest = HTTPEndpoint<Empty, CustomerRefundRequest>(
        "getRefundRequest", .get, "/admin/v1/refundRequests/{refundRequestIdentifier}", .admin,
        errors: [.outcomeUnknown])
    /// Grants a request for a refund, as a whole or in part.
    ///
    /// The app's server gets a REFUND with `revocationType` and `revocationPercentage`. Repeating it returns the same
    /// request.
    package static let grantRefundRequest = HTTPEndpoint<RefundShare, CustomerRefundRequest>(
        "grantRefundRequest", .post, "/admin/v1/refundRequests/{refundRequestIdentifier}/grant", .admin,
        isBodyOptional: true, errors: [.transactionState, .outcomeUnknown])
    /// Declines a request for a refund.
    ///
    /// The app's server gets a REFUND_DECLINED. Repeating it returns the same request.
    package static let declineRefundRequest = HTTPEndpoint<Empty, CustomerRefundRequest>(
        "declineRefundRequest", .post, "/admin/v1/refundRequests/{refundRequestIdentifier}/decline", .admin,
        isBodyOptional: true, errors: [.transactionState, .outcomeUnknown])
    /// Takes a refund back: the purchase is paid again.
    ///
    /// The purchase gives its content again. A subscription that has ended stays ended. The app's server gets a
    /// REFUND_REVERSED. Repeating it returns the same transaction.
    package static let reverseRefund = HTTPEndpoint<Empty, PaymentTransaction>(
        "reverseRefund", .post, "/admin/v1/transactions/{id}/reverseRefund", .admin,
        isBodyOptional: true, responses: [.ok("The transaction without its `revocationDate`.")],
        errors: [.transactionState, .outcomeUnknown])
    /// Makes a subscription's present period longer.
    package static let extend = HTTPEndpoint<Extension, OperateSubscriptionReply>(
        "extendTransaction", .post, "/admin/v1/transactions/{id}/extend", .admin,
        errors: [.transactionState, .perhapsDone])

    /// An operation without a body, named by the last part of its path.
    package static func operate(
        _ operation: OperateSubscriptionRequest.Operation
    ) -> HTTPEndpoint<Empty, OperateSubscriptionReply> {
        HTTPEndpoint(
            "\(operation.rawValue)Transaction", .post,
            HTTPPath("/admin/v1/transactions/{id}/\(operation.rawValue)"), .admin, isBodyOptional: true,
            summary: summary(operation), errors: [.transactionState, .perhapsDone])
    }

    private static func summary(_ operation: OperateSubscriptionRequest.Operation) -> String {
        switch operation {
        case .renew: "Renews a subscription now; the new period begins at the end of the present one"
        case .forceRenewal: "Ends a subscription's present period now and renews it"
        case .expire: "Ends a subscription now"
        case .enableAutoRenew: "Lets a subscription renew again"
        case .disableAutoRenew: "Cancels a subscription; the present period is the last"
        case .failNextRenewal: "Declines the next charge of a renewal"
        case .resolveBilling: "Repeats a failed renewal now"
        case .requestPriceConsent: "Asks the subscriber to agree to a higher price, without raising it"
        default: preconditionFailure("\(operation) has a route of its own")
        }
    }

    /// Operations of ``operate(_:)``.
    package static let operations: [OperateSubscriptionRequest.Operation] =
        [
            .renew, .forceRenewal, .expire, .enableAutoRenew, .disableAutoRenew, .failNextRenewal, .resolveBilling,
            .requestPriceConsent,
        ]
    static let operated: [HTTPEndpoint<Empty, OperateSubscriptionReply>] = operations.map { operate($0) }
}

/// The optional body of `POST /v1/transactions/{id}/refund-request`: `{"reason":"UNINTENDED_PURCHASE"}`.
package struct NewRefundRequest: Hashable, Sendable, Codable {
    /// Left out, it is `OTHER`.
    package var reason: ConsumptionRequestReason?
}

/// The body of `POST /v1/transactions/{id}/continue`: `{"shouldContinue":false}`.
package struct ContinueTransactionBody: Hashable, Sendable, Codable {
    /// False fails the purchase, and nothing is charged.
    package var shouldContinue: Bool
}

/// PaymentQueue's request subjects for the App Store Server API, `sb.payment.v1.…`.
public enum ServerAPIEndpoints {
    /// Finds the customer of a transaction or app transaction, and the transaction.
    /// - Throws: `notFound`, also for another app's.
    public static let lookup = Endpoint<TransactionLookupRequest, TransactionLookupReply>(
        .paymentQueue, "transaction.lookup", isIdempotent: true, errors: [.notFound])
    /// Reads a customer's download of the app. The reply has no transaction.
    public static let appTransaction = Endpoint<AppTransactionRequest, TransactionLookupReply>(
        .paymentQueue, "appTransaction.get", isIdempotent: true, errors: [.notFound])
    /// Reads a page of a customer's history, by the order of changes or refunds.
    public static let modified = Endpoint<ModifiedTransactionsRequest, ModifiedTransactionsPage>(
        .paymentQueue, "transaction.modified", isIdempotent: true, errors: [.notFound])
    /// Reads a customer's subscriptions with their latest transactions.
    public static let statuses = Endpoint<SubscriptionStatusesRequest, SubscriptionStatuses>(
        .paymentQueue, "subscription.statuses", isIdempotent: true, errors: [.notFound])
    /// Extends a subscription's present period. A repeated request identifier gets the first reply.
    /// - Throws: `notFound`, also for another app's.
    public static let extend = Endpoint<ExtendSubscriptionRequest, ExtendSubscriptionReply>(
        .paymentQueue, "subscription.extend", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Extends the present periods of a product's subscriptions, the first 200 before the reply.
    /// - Throws: `requestInvalid`, also for a request identifier that was used with other members.
    public static let extendAll = Endpoint<ExtendSubscriptionsRequest, SubscriptionExtensions>(
        .paymentQueue, "subscription.extendMass", isIdempotent: true, errors: [.notFound])
    /// Reads the progress of an extension of a product's subscriptions.
    public static let extensions = Endpoint<SubscriptionExtensionsRequest, SubscriptionExtensions>(
        .paymentQueue, "subscription.extendStatus", isIdempotent: true, errors: [.notFound])
    /// Gives a purchase and all renewals of it another `appAccountToken`.
    /// - Throws: `requestInvalid` for a transaction that is not an original, and `notFound`, also for another app's.
    public static let setAppAccountToken = Endpoint<SetAppAccountTokenRequest, Empty>(
        .paymentQueue, "transaction.setToken", isIdempotent: true, errors: [.notFound])
    /// Opens a customer's request for a refund.
    /// - Throws: `transactionStateInvalid` for no purchase, one that was taken back, and while one is open.
    public static let openRefundRequest = Endpoint<OpenRefundRequest, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.open", isIdempotent: false, errors: [.notFound, .transactionStateInvalid])
    /// Reads a customer's request for a refund.
    public static let getRefundRequest = Endpoint<ScopedIdentifier, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.get", isIdempotent: true, errors: [.notFound])
    /// Lists an app's requests for refunds that wait for an answer, oldest first.
    public static let listRefundRequests = Endpoint<RefundRequestsRequest, RefundRequestsPage>(
        .paymentQueue, "refundRequest.list", isIdempotent: true, errors: [])
    /// Grants a request by refunding the purchase. Repeating it changes nothing.
    /// - Throws: `transactionStateInvalid` for one that was declined.
    public static let grantRefundRequest = Endpoint<GrantRefundRequest, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.grant", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Declines a request. Repeating it changes nothing.
    /// - Throws: `transactionStateInvalid` for one that was granted.
    public static let declineRefundRequest = Endpoint<ScopedIdentifier, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.decline", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Takes a refund back, so that the purchase is paid again. Repeating it changes nothing.
    /// - Throws: `transactionStateInvalid` for a purchase that was not refunded.
    public static let reverseRefund = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.reverseRefund", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
    /// Keeps an app server's information on a purchase's consumption. Without an open request it is not kept.
    /// - Throws: `notFound`, also for another app's.
    public static let consumption = Endpoint<ConsumptionInformation, Empty>(
        .paymentQueue, "refundRequest.consumption", isIdempotent: true, errors: [.notFound])
    /// Lists the events that apps' servers are notified of, oldest first, for AppStoreServer.
    public static let listEvents = Endpoint<ServerEventsRequest, ServerEventsPage>(
        .paymentQueue, "serverEvents.list", isIdempotent: true, errors: [])
    /// Allows the removal of events that AppStoreServer has stored.
    public static let acknowledgeEvents = Endpoint<AcknowledgeServerEventsRequest, Empty>(
        .paymentQueue, "serverEvents.acknowledge", isIdempotent: true, errors: [])
}

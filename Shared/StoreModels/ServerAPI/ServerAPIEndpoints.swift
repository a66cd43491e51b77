/// PaymentQueue's request subjects for the App Store Server API, `sb.payment.v1.…`.
public enum ServerAPIEndpoints {
    /// Finds the customer of a transaction or app transaction, and the transaction.
    /// - Throws: `notFound`, also for another app's.
    public static let lookup = Endpoint<TransactionLookupRequest, TransactionLookup>(
        .paymentQueue, "transaction.lookup", isIdempotent: true)
    /// Reads a customer's download of the app; the reply has no transaction.
    /// - Throws: `notFound`.
    public static let appTransaction = Endpoint<AppTransactionRequest, TransactionLookup>(
        .paymentQueue, "appTransaction.get", isIdempotent: true)
    /// Reads a page of a customer's history, by the order of changes or refunds.
    /// - Throws: `requestInvalid`, `notFound`.
    public static let modified = Endpoint<ModifiedTransactionsRequest, ModifiedTransactionsPage>(
        .paymentQueue, "transaction.modified", isIdempotent: true)
    /// Reads a customer's subscriptions with their latest transactions.
    /// - Throws: `notFound`.
    public static let statuses = Endpoint<SubscriptionStatusesRequest, SubscriptionStatuses>(
        .paymentQueue, "subscription.statuses", isIdempotent: true)
    /// Extends a subscription's present period; a repeated request identifier gets the first reply.
    /// - Throws: `requestInvalid`; `notFound`, also for another app's; `serviceUnavailable`.
    public static let extend = Endpoint<ExtendSubscriptionRequest, ExtendSubscriptionReply>(
        .paymentQueue, "subscription.extend", isIdempotent: true)
    /// Extends the present periods of a product's subscriptions, the first 200 before the reply.
    /// - Throws: `requestInvalid`, also for a request identifier that was used with other members.
    public static let extendAll = Endpoint<ExtendSubscriptionsRequest, SubscriptionExtensions>(
        .paymentQueue, "subscription.extendMass", isIdempotent: true)
    /// Reads the progress of an extension of a product's subscriptions.
    /// - Throws: `notFound`.
    public static let extensions = Endpoint<SubscriptionExtensionsRequest, SubscriptionExtensions>(
        .paymentQueue, "subscription.extendStatus", isIdempotent: true)
    /// Gives a purchase and all renewals of it another `appAccountToken`.
    /// - Throws: `requestInvalid` for a transaction that is no original; `notFound`, also for another app's.
    public static let setAppAccountToken = Endpoint<SetAppAccountTokenRequest, Empty>(
        .paymentQueue, "transaction.setToken", isIdempotent: true)
    /// Opens a customer's request for a refund.
    /// - Throws: `notFound`; `transactionStateInvalid` for no purchase, one that was taken back, and while one is open.
    public static let openRefundRequest = Endpoint<OpenRefundRequest, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.open", isIdempotent: false)
    /// Reads a customer's request for a refund.
    /// - Throws: `notFound`.
    public static let getRefundRequest = Endpoint<ScopedIdentifier, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.get", isIdempotent: true)
    /// Lists an app's requests for refunds that wait for an answer, oldest first.
    /// - Throws: `requestInvalid`.
    public static let listRefundRequests = Endpoint<RefundRequestsRequest, RefundRequestsPage>(
        .paymentQueue, "refundRequest.list", isIdempotent: true)
    /// Grants a request: refunds the purchase. Repeated, it changes nothing.
    /// - Throws: `requestInvalid`; `notFound`; `transactionStateInvalid` for one that was declined.
    public static let grantRefundRequest = Endpoint<GrantRefundRequest, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.grant", isIdempotent: true)
    /// Declines a request. Repeated, it changes nothing.
    /// - Throws: `notFound`; `transactionStateInvalid` for one that was granted.
    public static let declineRefundRequest = Endpoint<ScopedIdentifier, CustomerRefundRequest>(
        .paymentQueue, "refundRequest.decline", isIdempotent: true)
    /// Takes a refund back: the purchase is paid again. Repeated, it changes nothing.
    /// - Throws: `notFound`; `transactionStateInvalid` for a purchase that was not refunded.
    public static let reverseRefund = Endpoint<RefundRequest, PaymentTransaction>(
        .paymentQueue, "transaction.reverseRefund", isIdempotent: true)
    /// Keeps what an app's server says of a purchase's consumption. Without an open request nothing is kept.
    /// - Throws: `notFound`, also for another app's.
    public static let consumption = Endpoint<ConsumptionInformation, Empty>(
        .paymentQueue, "refundRequest.consumption", isIdempotent: true)
    /// Lists the events of all apps that servers are notified of, oldest first, for the notifier.
    /// - Throws: `requestInvalid`.
    public static let listEvents = Endpoint<ServerEventsRequest, ServerEventsPage>(
        .paymentQueue, "serverEvents.list", isIdempotent: true)
    /// Allows the removal of events that the notifier has stored.
    /// - Throws: `requestInvalid`.
    public static let acknowledgeEvents = Endpoint<AcknowledgeServerEventsRequest, Empty>(
        .paymentQueue, "serverEvents.acknowledge", isIdempotent: true)
}

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
    /// Reads a page of a customer's history, by the order of changes.
    /// - Throws: `requestInvalid`, `notFound`.
    public static let modified = Endpoint<ModifiedTransactionsRequest, ModifiedTransactionsPage>(
        .paymentQueue, "transaction.modified", isIdempotent: true)
    /// Reads a customer's subscriptions with their latest transactions.
    /// - Throws: `notFound`.
    public static let statuses = Endpoint<SubscriptionStatusesRequest, SubscriptionStatuses>(
        .paymentQueue, "subscription.statuses", isIdempotent: true)
    /// Lists the events of all apps that servers are notified of, oldest first, for the notifier.
    /// - Throws: `requestInvalid`.
    public static let listEvents = Endpoint<ServerEventsRequest, ServerEventsPage>(
        .paymentQueue, "serverEvents.list", isIdempotent: true)
    /// Allows the removal of events that the notifier has stored.
    /// - Throws: `requestInvalid`.
    public static let acknowledgeEvents = Endpoint<AcknowledgeServerEventsRequest, Empty>(
        .paymentQueue, "serverEvents.acknowledge", isIdempotent: true)
}

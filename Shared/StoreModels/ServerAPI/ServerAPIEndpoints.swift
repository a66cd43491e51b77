/// PaymentQueue's request subjects for the App Store Server API, `sb.payment.v1.…`.
public enum ServerAPIEndpoints {
    /// Finds the customer of a transaction or app transaction, and the transaction.
    /// - Throws: `notFound`, also for another app's.
    public static let lookup = Endpoint<TransactionLookupRequest, TransactionLookupReply>(
        .paymentQueue, "transaction.lookup", isIdempotent: true, errors: [.notFound])
    /// Reads a customer's download of the app. The reply has no transaction.
    public static let appTransaction = Endpoint<AppTransactionRequest, TransactionLookupReply>(
        .paymentQueue, "appTransaction.get", isIdempotent: true, errors: [.notFound])
    /// Reads a page of a customer's history by changes or refunds, with the customer.
    /// - Throws: `notFound`, also for the identifier of another app's transaction.
    public static let modified = Endpoint<ModifiedTransactionsRequest, ModifiedTransactionsPage>(
        .paymentQueue, "transaction.modified", isIdempotent: true, errors: [.notFound])
    /// Reads a customer's subscriptions with their latest transactions.
    public static let statuses = Endpoint<SubscriptionStatusesRequest, SubscriptionStatuses>(
        .paymentQueue, "subscription.statuses", isIdempotent: true, errors: [.notFound])
    /// Reads a page of a customer's purchases as StoreKit 2 lists them.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer.
    public static let viewed = Endpoint<ViewedTransactionsRequest, ViewedTransactions>(
        .paymentQueue, "transaction.viewed", isIdempotent: true, errors: [.notFound])
    /// Reads what payments have bought, or found the customer to hold.
    /// - Throws: `notFound` for an unknown customer. An unknown payment has no outcome.
    public static let outcomes = Endpoint<PaymentOutcomesRequest, PaymentOutcomes>(
        .paymentQueue, "transaction.outcomes", isIdempotent: true, errors: [.notFound])
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
    /// - Throws: `requestInvalid` for a transaction that is not an original, `transactionStateInvalid` for one that a
    ///   family shares, and `notFound`, also for another app's.
    public static let setAppAccountToken = Endpoint<SetAppAccountTokenRequest, Empty>(
        .paymentQueue, "transaction.setToken", isIdempotent: true, errors: [.notFound, .transactionStateInvalid])
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

/// Asks PaymentQueue for the customer of an identifier that an app's server knows.
public struct TransactionLookupRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// The decimal digits of a transaction's or app transaction's identifier. A restored transaction's is accepted,
    /// too.
    public var identifier: String
}

/// The customer of an identifier, and the transaction if the identifier names one.
public struct TransactionLookupReply: Hashable, Sendable, Codable {
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The customer's download of the app, decimal digits.
    public var appTransactionIdentifier: String
    /// The customer's first session with the app, business time.
    public var firstSeen: Timestamp
    /// Nil for the identifier of an app transaction. A restored transaction has its original's facts.
    public var transaction: ServerTransaction?
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}

/// Asks PaymentQueue for a customer's download of the app.
public struct AppTransactionRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
}

/// Selects transactions of a customer's history. Members left out select all.
public struct ServerTransactionFilter: Hashable, Sendable, Codable {
    /// The first purchase date.
    public var startDate: Timestamp?
    /// The end of the purchase dates, which is not included.
    public var endDate: Timestamp?
    /// Any of these products.
    public var productIdentifiers: [String]?
    /// Any of these types.
    public var types: [ProductType]?
    /// Any of these groups.
    public var subscriptionGroupIdentifiers: [String]?
    /// True selects refunded and revoked transactions, false all others.
    public var isRevoked: Bool?
    /// True selects what a member of the family shares, false the customer's own purchases.
    public var isFamilyShared: Bool?
    /// Whether to leave out finished consumables, except refunded and revoked ones.
    public var leavesOutFinishedConsumables: Bool?

    public init() {}

    /// Decides whether a purchase is selected.
    /// - Parameter isFinished: Whether the app has finished it.
    public func matches(_ item: ReceiptItem, isFinished: Bool) -> Bool {
        if leavesOutFinishedConsumables == true, isFinished, item.type == .consumable, item.cancellationDate == nil {
            return false
        }
        if let startDate, item.purchaseDate < startDate { return false }
        if let endDate, item.purchaseDate >= endDate { return false }
        if let productIdentifiers, !productIdentifiers.contains(where: item.productIdentifier.isExactly) {
            return false
        }
        if let types, !types.contains(item.type) { return false }
        if let subscriptionGroupIdentifiers {
            guard subscriptionGroupIdentifiers.contains(where: { item.subscriptionGroupIdentifier.isExactly($0) })
            else { return false }
        }
        if let isRevoked, isRevoked != (item.cancellationDate != nil) { return false }
        if let isFamilyShared, isFamilyShared != (item.isFamilyShared == true) { return false }
        return true
    }
}

/// Asks PaymentQueue for a page of a customer's history.
public struct ModifiedTransactionsRequest: Hashable, Sendable, Codable {
    /// The purchases that a page lists, and their order.
    public enum Order: String, Sendable, Codable {
        /// Every purchase, by its last change.
        case changes
        /// Refunded purchases, by their refund. A purchase revoked without a refund is left out.
        case refunds
    }

    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``. Nil if ``identifier`` names the customer.
    public var customerIdentifier: String?
    /// As ``TransactionLookupRequest/identifier``. Nil if ``customerIdentifier`` names the customer.
    public var identifier: String?
    public var order: Order = .changes
    /// The ``ModifiedTransactionsPage/place`` of the page before, or nil for the first page.
    public var after: Int64?
    /// Whether the latest change or refund comes first.
    public var isDescending: Bool = false
    /// 1…100.
    public var limit: Int
    public var filter: ServerTransactionFilter = ServerTransactionFilter()
}

/// A page of a customer's history.
public struct ModifiedTransactionsPage: Hashable, Sendable, Codable {
    /// The customer, with the transaction that the request's `identifier` names.
    public var customer: TransactionLookupReply
    /// At most the request's `limit`, or fewer if many did not match.
    public var transactions: [ServerTransaction]
    /// Where the next page begins, also when this is the last one for now.
    public var place: Int64
    /// Whether the history goes on behind `place`.
    public var hasMore: Bool
}

/// Asks PaymentQueue for a customer's subscriptions with their latest transactions.
public struct SubscriptionStatusesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
}

/// A customer's subscriptions, one for each group, in the order of their first purchase.
///
/// Those that the customer's family shares follow.
public struct SubscriptionStatuses: Hashable, Sendable, Codable {
    /// The customer's last change before the subscriptions were read.
    public var seq: Int64
    public var subscriptions: [ServerSubscription]
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}

/// A purchase with everything that its signed transaction shows.
///
/// It has the fields of a receipt's item and those that Apple added since, so receipts and the App Store Server API
/// have one source.
public struct ServerTransaction: Hashable, Sendable, Codable {
    /// Apple's `transactionReason`.
    public enum Reason: String, CaseIterable, Sendable, Codable {
        /// The customer has bought it, also as an upgrade or after a lapse.
        case purchase
        /// The store has renewed a subscription.
        case renewal
    }

    /// The purchase as receipts list it.
    public var item: ReceiptItem
    /// The price of the whole purchase, quantity and offer included. Nil for one given again.
    public var price: Money?
    /// The storefront of the purchase, alpha-3.
    public var storefront: String
    /// The cause of the transaction.
    public var reason: Reason
    /// Its place among the customer's changes. It grows with each change that a signed transaction shows.
    public var modifiedSeq: Int64
}

/// A subscription with the further facts of its signed renewal information.
public struct ServerSubscription: Hashable, Sendable, Codable {
    /// The subscription, with the price of its next renewal.
    public var subscription: Subscription
    /// The transaction of the present period, or of the last one.
    public var transaction: ServerTransaction
    /// The start of the subscription without a gap of more than 60 days, business time.
    public var recentStart: Timestamp
    /// The offer of the next renewal, or nil at the regular price.
    public var nextOffer: AppliedOffer?
}

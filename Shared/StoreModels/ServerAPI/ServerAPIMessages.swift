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
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
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
    /// At most the request's `limit`, or fewer if many did not match.
    public var transactions: [ServerTransaction]
    /// Where the next page begins, also when this is the last one for now.
    public var place: Int64
    /// Whether the history goes on behind `place`.
    public var hasMore: Bool
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}

/// Asks PaymentQueue for a customer's subscriptions with their latest transactions.
public struct SubscriptionStatusesRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
}

/// A customer's subscriptions, one for each group, in the order of their first purchase.
public struct SubscriptionStatuses: Hashable, Sendable, Codable {
    public var subscriptions: [ServerSubscription]
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}

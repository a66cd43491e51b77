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

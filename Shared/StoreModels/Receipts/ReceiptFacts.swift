/// Asks PaymentQueue for the data of a customer's receipt, which the gateway makes and signs. Oldest first, in pages.
public struct ReceiptFactsRequest: Hashable, Sendable, Codable {
    public var bundleId: String
    /// As ``OpenAccountReply/customerIdentifier``.
    public var customerIdentifier: String
    /// The last item's `transactionIdentifier` of the page before.
    public var after: String?
    /// 1…500.
    public var limit: Int = 500
}

/// One purchase in a receipt, refunded or not. Restored transactions are not listed, because their original is.
///
/// A receipt lists consumables until they are finished, and everything else permanently.
public struct ReceiptItem: Hashable, Sendable, Codable {
    /// Decimal digits, unique in the store.
    public var transactionIdentifier: String
    /// The first purchase's identifier. For that purchase, the same as `transactionIdentifier`.
    public var originalTransactionIdentifier: String
    /// As bought. The catalogue need not have it any more.
    public var productIdentifier: String
    /// As it was when the product was bought.
    public var type: ProductType
    /// 1…10. More than 1 for consumables and non-renewing subscriptions only.
    public var quantity: Int
    /// Business time of this purchase or renewal.
    public var purchaseDate: Timestamp
    /// Business time of the first purchase.
    public var originalPurchaseDate: Timestamp
    /// For subscriptions only, as the members down to `isUpgraded`.
    public var expiresDate: Timestamp?
    /// Decimal, one per subscription period.
    public var webOrderLineItemIdentifier: String?
    /// The group the period was paid in, which an import may have changed since.
    public var subscriptionGroupIdentifier: String?
    /// As ``PaymentTransaction/isTrialPeriod``.
    public var isTrialPeriod: Bool?
    /// As ``PaymentTransaction/isInIntroOfferPeriod``.
    public var isInIntroOfferPeriod: Bool?
    /// As ``PaymentTransaction/isUpgraded``.
    public var isUpgraded: Bool?
    /// The time of its refund or revocation.
    public var cancellationDate: Timestamp?
    /// Set together with `cancellationDate`.
    public var cancellationReason: RefundRequest.Reason?
    /// As ``PaymentTransaction/revocationType``.
    public var revocationType: RevocationType?
    /// As ``PaymentTransaction/revocationPercentage``.
    public var revocationPercentage: Int?
    /// Nil when the full price was paid.
    public var offer: AppliedOffer?
    /// As ``Payment/appAccountToken``.
    public var appAccountToken: String?
    /// As ``PaymentTransaction/isFamilyShared``.
    public var isFamilyShared: Bool?
    /// The plan of a subscription whose product has several. Absent for all others.
    public var billingPlanType: BillingPlan?
    /// As ``PaymentTransaction/commitment``.
    public var commitment: Commitment?
}

/// A page of the data of a receipt, oldest first, read in one snapshot.
public struct ReceiptFactsPage: Hashable, Sendable, Codable {
    /// At most the request's `limit`.
    public var items: [ReceiptItem]
    /// Every subscription of the customer, on the first page only.
    public var subscriptions: [Subscription]
    /// The next page's `after`, absent on the last page.
    public var after: String?
    /// The customer's first session with the app, business time.
    public var firstSeen: Timestamp
    /// The business clock at the moment of reading.
    public var businessNow: Timestamp
}

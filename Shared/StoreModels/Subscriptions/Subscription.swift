/// A customer's subscription in one group, at most one per group (S6).
///
/// ```json
/// {"originalTransactionIdentifier":"1000000001","subscriptionGroupIdentifier":"21378123",
///  "productIdentifier":"com.example.pro.monthly","state":"subscribed","willAutoRenew":true,
///  "autoRenewProductIdentifier":"com.example.pro.monthly","purchaseDate":"2026-12-21T10:00:00.000Z",
///  "expiresDate":"2027-01-21T10:00:00.000Z","renewalPrice":{"amount":"9.99","currency":"USD"},
///  "transactionIdentifier":"1000000004","id":"t_01m7ye06a9fztjwq7kqekddpc9","period":1,
///  "eligibleWinBackOfferIdentifiers":[]}
/// ```
public struct Subscription: Hashable, Sendable, Codable {
    /// The reason of an expiry. Apple's `expirationIntent` numbers them from 1 in this order.
    public enum ExpirationReason: String, CaseIterable, Sendable, Codable {
        case cancelled
        case billingError
        case priceIncreaseRefused
        case productNotAvailable
        case other
    }

    /// The first transaction's identifier, which never changes: the subscription's own name.
    public var originalTransactionIdentifier: String
    /// The group of the present period. An import may rename it.
    public var subscriptionGroupIdentifier: String
    /// The present product, or the one at the end.
    public var productIdentifier: String
    /// Billing retry, expired and revoked give no access.
    public var state: SubscriptionState
    /// False if the present period is the last. Within a commitment it is true until the last payment.
    public var willAutoRenew: Bool
    /// The next renewal's product. Another one if a change is scheduled.
    public var autoRenewProductIdentifier: String
    /// The start of the present period.
    public var purchaseDate: Timestamp
    /// The end of the present period.
    public var expiresDate: Timestamp
    /// The end of access in the grace period.
    public var gracePeriodExpiresDate: Timestamp?
    /// The price of the next renewal, as far as known. Absent without a renewal.
    public var renewalPrice: Money?
    /// A higher price of the next renewal, and the subscriber's consent to it.
    public var priceIncrease: PriceIncrease?
    /// Absent while the subscription has not expired.
    public var expirationReason: ExpirationReason?
    /// The offer of the present period.
    public var offer: AppliedOffer?
    /// The latest transaction.
    public var transactionIdentifier: String
    /// The latest transaction's `id`.
    public var id: String
    /// How many periods came before the present one.
    public var period: Int
    /// Win-back offers the customer may redeem now, best first.
    public var eligibleWinBackOfferIdentifiers: [String] = []
    /// The present period's billing plan. Absent for a product that is sold for each period up front alone, as the
    /// three members below.
    public var billingPlanType: BillingPlan?
    /// The next payment's billing plan.
    public var renewalBillingPlanType: BillingPlan?
    /// The present payment's place in its commitment. Absent for a period that is paid up front.
    public var commitment: Commitment?
    /// The renewal after the commitment. Present with `commitment`.
    public var commitmentRenewal: CommitmentRenewal?
    /// The app, in the operator's lists only.
    public var bundleId: String?
    /// The account, in the operator's lists only.
    public var account: String?
    /// The next try of a declined charge, in the operator's lists only. Absent if none will be made.
    public var nextRetryDate: Timestamp?
    /// The last try of a declined charge, which ends billing retry. Present with `nextRetryDate`.
    public var lastRetryDate: Timestamp?

    /// A period as in the transaction that began it. On the wire its members are flat among the others.
    public struct Period: Hashable, Sendable {
        /// How many periods came before it.
        public var index: Int
        /// Its start, by the app's clock.
        public var start: Timestamp
        /// Its end, without a grace period.
        public var end: Timestamp
        /// The `id` of its transaction.
        public var transactionID: String
        /// The number of its transaction.
        public var transactionIdentifier: String
    }

    public init(
        originalTransactionIdentifier: String, subscriptionGroupIdentifier: String, productIdentifier: String,
        state: SubscriptionState, willAutoRenew: Bool, autoRenewProductIdentifier: String, latest: Period
    ) {
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.productIdentifier = productIdentifier
        self.state = state
        self.willAutoRenew = willAutoRenew
        self.autoRenewProductIdentifier = autoRenewProductIdentifier
        self.purchaseDate = latest.start
        self.expiresDate = latest.end
        self.transactionIdentifier = latest.transactionIdentifier
        self.id = latest.transactionID
        self.period = latest.index
    }
}

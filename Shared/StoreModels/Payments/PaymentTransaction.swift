/// A transaction in the payment queue, as `SKPaymentTransaction`.
///
/// ```json
/// {"id":"t_01m7ye06a9fztjwq7kqekddpc9","transactionIdentifier":"1000000001","transactionState":"purchased",
///  "transactionDate":"2026-11-21T10:00:00.004Z","payment":{"requestIdentifier":"order-1",
///  "productIdentifier":"com.example.hiddenBeaches","quantity":1,"simulatesAskToBuyInSandbox":false},
///  "original":null,"originalTransactionIdentifier":"1000000001","error":null,"downloads":[],"revision":2,
///  "deliveries":0,"originDeviceId":"alice-1","price":{"amount":"0.99","currency":"USD"}}
/// ```
public struct PaymentTransaction: Hashable, Sendable, Codable {
    /// Opaque, fixed from `purchasing` on, used in every path and event.
    public var id: String
    /// Decimal digits. Null except in purchased and restored.
    @Nullable public var transactionIdentifier: String?
    /// The same for all devices. `revision` counts its changes.
    public var transactionState: TransactionState
    /// Null except in purchased and restored.
    @Nullable public var transactionDate: Timestamp?
    /// The app's request, unchanged by restarts and renewals.
    public var payment: Payment
    /// A whole transaction, never nested twice.
    @Nullable public var original: OriginalTransaction?
    /// Decimal digits of the first purchase. Null for a first purchase itself.
    @Nullable public var originalTransactionIdentifier: String?
    /// Non-null in failed only (M31).
    @Nullable public var error: TransactionError?
    /// The downloads of a hosted product, as they are for the requesting device. Else empty.
    public var downloads: [Download] = []
    /// Additional results of a finish: `finishedWithPendingDownloads` (M55). Absent in all other replies.
    public var warnings: [String]?
    /// Grows by one with each change of state. Observers deduplicate by (id, revision).
    public var revision: Int
    /// How many times a launch or resume has delivered it (M51).
    public var deliveries: Int = 0
    /// The device that added the payment.
    public var originDeviceId: String
    /// The failed transaction of an interrupted purchase that this one replaces.
    public var supersedes: String?
    /// The end of the paid period, absent for products that do not expire.
    public var expiresDate: Timestamp?
    /// Whether the period is a free trial. Absent for products other than subscriptions.
    public var isTrialPeriod: Bool?
    /// Whether the period has a paid introductory price. A free trial is false (M118).
    public var isInIntroOfferPeriod: Bool?
    /// Whether an upgrade ended the period early.
    public var isUpgraded: Bool?
    /// The time of its refund or revocation.
    public var revocationDate: Timestamp?
    /// Set together with ``revocationDate``.
    public var revocationReason: RefundRequest.Reason?
    /// How it was refunded, absent for a revocation without a refund.
    public var revocationType: RevocationType?
    /// The refunded part of the price, in thousandths of a percent. Set together with ``revocationType``.
    public var revocationPercentage: Int?
    /// The time of a scheduled change of product, the next renewal. The customer is neither charged nor given the
    /// product yet.
    public var effectiveDate: Timestamp?
    /// For auto-renewable subscriptions.
    public var subscriptionGroupIdentifier: String?
    /// The price of the whole purchase, quantity and offer included.
    public var price: Money?
    /// Absent when the full price was paid.
    public var offer: AppliedOffer?
    /// Whether a member of the customer's family has bought it and shares it. Absent for the customer's own purchases.
    public var isFamilyShared: Bool?
    /// The payment's place in a commitment. Absent for a period that is paid up front.
    public var commitment: Commitment?
    /// Set while the store asks the app whether the purchase continues in the shopper's storefront.
    public var storefrontChange: StorefrontChange?
    /// A subscription's higher price, on its latest transaction. In events about it only.
    public var priceIncrease: PriceIncrease?

    /// ``originDeviceId`` of a purchase outside the app.
    public static let outsideDeviceId = "app-store"

    /// Whether the device's observer is notified of this transaction. Purchased and deferred ones go to all
    /// devices of the customer, every other to the device that caused it.
    public func isVisible(to deviceId: String) -> Bool {
        transactionState.isVisible(to: deviceId, origin: originDeviceId)
    }
}

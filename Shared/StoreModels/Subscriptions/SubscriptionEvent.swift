/// One entry of a subscription's timeline, written in the commit of its change:
///
/// ```json
/// {"at":"2026-12-28T10:00:00.000Z","kind":"renewed","account":"alice",
///  "originalTransactionIdentifier":"1000000001","productIdentifier":"com.example.pro.monthly",
///  "amount":{"amount":"9.99","currency":"USD"},"transactionIdentifier":"1000000002","period":1,
///  "expiresDate":"2027-01-28T10:00:00.000Z"}
/// ```
public struct SubscriptionEvent: Hashable, Sendable, Codable {
    /// The kind of event.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// The first purchase of the group, and one after it had lapsed.
        case subscribed, resubscribed
        case renewed
        /// A charge was declined, or the processor has charged another amount. In the second case `detail` says so and
        /// an operator has to check it. `amount` is the requested amount.
        case billingFailed
        case gracePeriodStarted, billingRetryStarted, gracePeriodExpired
        /// A failed renewal was charged on a later try.
        case recovered
        case expired
        case autoRenewDisabled, autoRenewEnabled
        /// A change of product at once, with part of the money back.
        case upgraded, crossgraded
        /// A change of product for the next renewal, or its withdrawal.
        case changeScheduled, changeReverted
        case refunded, revoked
        /// Part of a period's money was refunded, because another product took its place.
        case refundedProrated
        case extended
        /// The next renewal costs another amount.
        case priceChanged
        /// It is paid in another group from here on, because its product was moved or the group renamed.
        case groupChanged
        /// A price increase: the question, the answers, or its withdrawal before an answer. `amount` is the higher
        /// price.
        case priceIncreasePending, priceIncreaseAgreed, priceIncreaseDeclined, priceIncreaseWithdrawn
    }

    /// Business time.
    public var at: Timestamp
    /// The kind of event.
    public var kind: Kind
    /// The shopper's name, absent until the event is read from storage.
    public var account: String?
    /// The subscription's first transaction, decimal digits.
    public var originalTransactionIdentifier: String
    /// The product of the event's period.
    public var productIdentifier: String
    /// The money charged, requested or refunded. Absent for an event without money.
    public var amount: Money?
    /// The offer of that period, absent if the full price applies.
    public var offer: AppliedOffer?
    /// The transaction the event made or concerns, absent without one.
    public var transactionIdentifier: String?
    /// The period it is about, from 0.
    public var period: Int
    /// The end of that period, where the event sets it.
    public var expiresDate: Timestamp?
    /// A text for people: the product of a change, the reason of an expiry.
    public var detail: String?
}

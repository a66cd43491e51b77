import Persistence
import ServiceDatabase
import StoreModels

/// A customer's subscription in one group, as its row has it: all that deciding about the next event needs.
struct StoredSubscription: Hashable, Sendable {
    /// An offer whose periods are charged one by one, and how many of them are left.
    struct RunningOffer: Hashable, Sendable, Codable {
        var applied: AppliedOffer
        /// Of one period.
        var amount: Money
        var periodsLeft: Int
    }

    typealias Period = Subscription.Period

    var customer: CustomerReference
    /// The group it began in, by which its row is found.
    var group: String
    /// The group its product was in when it was last paid.
    var paidGroup: String
    /// The `id` of the first transaction, and its identifier.
    var originalID: String
    var originalIdentifier: String
    /// Grows by one with each write; a writer names the one it follows.
    var revision: Int
    var state: SubscriptionState
    var product: String
    /// 1 is the highest service.
    var level: Int
    /// The product's own period.
    var length: SubscriptionPeriod
    /// The present period.
    var period: Period
    /// The instant periods are counted from, so that a month's end stays a month's end. Period n ends `length` ×
    /// (`count` + 1) after it.
    var anchor: RenewalSchedule.Anchor
    var willAutoRenew: Bool
    /// What the next renewal buys.
    var renewProduct: String
    var offer: RunningOffer?
    /// How the tester's rate compresses periods.
    var rate: SubscriptionRenewalRate
    /// Renewals since the last purchase; compressed subscriptions have at most twelve.
    var renewals: Int
    var failsNext: Bool
    var retrySince: Timestamp?
    var retryCount: Int
    var graceUntil: Timestamp?
    var expirationReason: Subscription.ExpirationReason?
    /// The product's own price as the subscriber has agreed to it; nil for one sold before this was kept.
    var agreedPrice: Money?
    var priceIncrease: PriceIncrease?
    /// When something happens next, by the app's clock; nil when nothing does by itself.
    var dueAt: Timestamp?
    /// The charge under way, as JSON of the engine's own.
    var attempt: String?

    /// Of what is stored, as JSON.
    struct Price: Codable {
        var agreed: Money
        var increase: PriceIncrease?
    }

    /// The processor has charged another amount for a renewal than was agreed. It stays so until an operator has
    /// decided.
    var isQuarantined: Bool { attempt != nil && dueAt == nil }

    /// Whether the customer is an existing subscriber. The renewal may be due and not processed yet.
    /// - Parameter now: The app's clock.
    func isActive(at now: Timestamp) -> Bool {
        switch state {
        case .subscribed: period.end > now || willAutoRenew
        case .inGracePeriod, .inBillingRetryPeriod: true
        case .expired, .revoked: false
        }
    }
}

extension SubscriptionState: SQLValueConvertible {}
extension SubscriptionRenewalRate: SQLValueConvertible {}
extension Subscription.ExpirationReason: SQLValueConvertible {}

extension StoredSubscription {
    /// Whether a compressed subscription has come to the sandbox's bound.
    var hasRenewedEnough: Bool { rate != .realTime && renewals >= RenewalSchedule.compressedRenewalsMax }

    init(_ row: SQLRow) throws {
        let text: String = try row["length"]
        guard let length = SubscriptionPeriod(iso8601: text) else {
            throw StoreError(.internal, "a stored period '\(text)' cannot be read")
        }
        let offer: String? = try row["offer"]
        let price: String? = try row["price"]
        let known = try price.map { try StoredJSON.value(Price.self, $0) }
        func instant(_ column: String) throws -> Timestamp? {
            let value: Int64? = try row[column]
            return value.map(Timestamp.init(milliseconds:))
        }
        self.init(
            customer: try CustomerReference(row),
            group: try row["subscription_group"], paidGroup: try row["paid_group"], originalID: try row["original_id"],
            originalIdentifier: try row["original_identifier"], revision: try row["revision"], state: try row["state"],
            product: try row["product_identifier"], level: try row["level"], length: length,
            period: Period(
                index: try row["period_index"], start: Timestamp(milliseconds: try row["period_start"]),
                end: Timestamp(milliseconds: try row["active_until"]), transactionID: try row["active_id"],
                transactionIdentifier: try row["active_transaction"]),
            anchor: RenewalSchedule.Anchor(
                at: Timestamp(milliseconds: try row["anchor"]), count: try row["anchor_count"]),
            willAutoRenew: try row["will_auto_renew"],
            renewProduct: try row["renew_product"],
            offer: try offer.map { try StoredJSON.value(RunningOffer.self, $0) },
            rate: try row["rate"], renewals: try row["renewals"], failsNext: try row["fails_next"],
            retrySince: try instant("retry_since"), retryCount: try row["retry_count"],
            graceUntil: try instant("grace_until"), expirationReason: try row["expiration_reason"],
            agreedPrice: known?.agreed, priceIncrease: known?.increase, dueAt: try instant("due_at"),
            attempt: try row["attempt"])
    }
}

import Persistence
import ServiceDatabase
import StoreModels

/// A customer's subscription in one group, as stored, with everything its next event depends on.
struct StoredSubscription: Hashable, Sendable {
    /// An offer of the present period, with its later periods.
    struct RunningOffer: Hashable, Sendable, Codable {
        var applied: AppliedOffer
        /// The amount of one charge.
        var amount: Money
        /// The number of later periods at this amount. 0 unless it is paid as you go.
        var periodsLeft: Int
    }

    typealias Period = Subscription.Period

    /// The retries of a declined renewal.
    struct Retry: Hashable, Sendable {
        /// When the charge was first declined. Nil outside grace period and billing retry.
        var since: Timestamp?
        /// The number of declined tries for the next period.
        var count = 0
        /// The end of the grace period. Nil outside it.
        var graceUntil: Timestamp?
    }

    var customer: CustomerReference
    /// The group it began in, by which its row is found.
    var group: String
    /// The group of its product at the last payment.
    var paidGroup: String
    /// The `id` of the first transaction.
    var originalID: String
    /// The identifier of the first transaction.
    var originalIdentifier: String
    /// Grows by one with each write. A writer names the revision it has read.
    var revision: Int
    var state: SubscriptionState
    /// The product of the present period.
    var product: String
    /// The service level. 1 is the highest.
    var level: Int
    /// The product's own period.
    var length: SubscriptionPeriod
    /// The present period.
    var period: Period
    /// The instant periods are counted from, so that a month's end stays a month's end.
    ///
    /// Period n ends `length` × (`count` + 1) after it.
    var anchor: RenewalSchedule.Anchor
    var willAutoRenew: Bool
    /// The product the next renewal buys.
    var renewProduct: String
    /// The offer of the present period. Nil at the regular price.
    var offer: RunningOffer?
    /// The tester's rate, which compresses periods.
    var rate: SubscriptionRenewalRate
    /// The number of renewals since the last purchase. Compressed subscriptions have at most twelve.
    var renewals: Int
    /// Whether an operator has set the next renewal to fail.
    var failsNext: Bool
    var retry = Retry()
    /// Nil unless the state is `expired`.
    var expirationReason: Subscription.ExpirationReason?
    /// The product's own price to which the subscriber has agreed. Nil before the first period.
    var agreedPrice: Money?
    /// The price increase that waits for consent or was answered, if any.
    var priceIncrease: PriceIncrease?
    /// When the next event happens, by the app's clock. Nil when nothing falls due.
    var dueAt: Timestamp?
    /// The charge in progress, if any: a ``RenewalAttempt`` as JSON.
    var attempt: String?

    /// The column `price`, as JSON.
    struct Price: Codable {
        var agreed: Money
        var increase: PriceIncrease?
    }

    /// Whether the processor has charged another amount for a renewal than agreed.
    ///
    /// An operator has to decide.
    var isQuarantined: Bool { attempt != nil && dueAt == nil }

    /// The tries of a declined renewal. Nil outside grace period and billing retry.
    var retries: BillingRetryPolicy? {
        retry.since.map { BillingRetryPolicy(since: $0, length: RenewalSchedule(rate).retry) }
    }

    /// Tells whether the customer is a present subscriber. A renewal may be due and not processed yet.
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
    /// Whether a compressed subscription has reached the sandbox's maximum of renewals.
    var hasRenewedEnough: Bool { rate != .realTime && renewals >= RenewalSchedule.compressedRenewalsMax }

    init(_ row: SQLRow) throws {
        let text: String = try row["length"]
        guard let length = SubscriptionPeriod(iso8601: text) else {
            throw StoreError(.internal, "a stored period '\(text)' cannot be read")
        }
        let offer: String? = try row["offer"]
        let price: String? = try row["price"]
        let known = try price.map { try StoredJSON.value(Price.self, $0) }
        customer = try CustomerReference(row)
        group = try row["subscription_group"]
        paidGroup = try row["paid_group"]
        originalID = try row["original_id"]
        originalIdentifier = try row["original_identifier"]
        revision = try row["revision"]
        state = try row["state"]
        product = try row["product_identifier"]
        level = try row["level"]
        self.length = length
        period = Period(
            index: try row["period_index"], start: try row["period_start"], end: try row["active_until"],
            transactionID: try row["active_id"], transactionIdentifier: try row["active_transaction"])
        anchor = RenewalSchedule.Anchor(at: try row["anchor"], count: try row["anchor_count"])
        willAutoRenew = try row["will_auto_renew"]
        renewProduct = try row["renew_product"]
        self.offer = try offer.map { try StoredJSON.value(RunningOffer.self, $0) }
        rate = try row["rate"]
        renewals = try row["renewals"]
        failsNext = try row["fails_next"]
        retry = Retry(
            since: try row["retry_since"], count: try row["retry_count"], graceUntil: try row["grace_until"])
        expirationReason = try row["expiration_reason"]
        agreedPrice = known?.agreed
        priceIncrease = known?.increase
        dueAt = try row["due_at"]
        attempt = try row["attempt"]
    }
}

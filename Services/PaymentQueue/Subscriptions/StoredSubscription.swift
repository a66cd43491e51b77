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

    /// The billing plan of a subscription whose product has several.
    struct Plan: Hashable, Sendable, Codable {
        /// The renewal that follows a commitment.
        struct Afterwards: Hashable, Sendable, Codable {
            var willAutoRenew = true
            var product: String
            var plan: BillingPlan
        }

        /// The plan of the present period.
        var present: BillingPlan
        /// The plan of the next payment.
        var next: BillingPlan
        /// The present payment's place in its commitment. Nil unless the present period is paid by the month.
        var commitment: Commitment?
        /// Set as long as more payments of the commitment are to come. From the last payment on, it is in
        /// `willAutoRenew`, `renewProduct` and ``next``.
        var afterwards: Afterwards?
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
    /// The product's own period, or a month under the plan of monthly payments.
    var length: SubscriptionPeriod
    /// The present period.
    var period: Period
    /// The instant periods are counted from, so that a month's end stays a month's end.
    ///
    /// Period n ends `length` × (`count` + 1) after it.
    var anchor: RenewalSchedule.Anchor
    /// Whether the next payment is made. Within a commitment it is.
    var willAutoRenew: Bool
    /// The product the next payment buys. Within a commitment it is the present one.
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
    /// Nil for a product that is sold for each period up front alone.
    var plan: Plan?
    /// When the next event happens, by the app's clock. Nil when nothing falls due.
    var dueAt: Timestamp?
    /// The charge in progress, if any: a ``RenewalAttempt`` as JSON.
    var attempt: String?

    /// The column `price`, as JSON.
    struct Price: Codable {
        var agreed: Money
        var increase: PriceIncrease?
        var plan: Plan?
    }

    /// Whether the processor has charged another amount for a renewal than agreed.
    ///
    /// An operator has to decide.
    var isQuarantined: Bool { attempt != nil && dueAt == nil }

    /// The tries of a declined renewal. Nil outside grace period and billing retry.
    var retries: BillingRetryPolicy? {
        retry.since.map { since in
            let schedule = RenewalSchedule(rate)
            return plan?.next == .monthly
                ? BillingRetryPolicy(
                    since: since, length: schedule.committedRetry, days: BillingRetryPolicy.committedDays)
                : BillingRetryPolicy(since: since, length: schedule.retry)
        }
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
    ///
    /// A commitment is paid to its end.
    var hasRenewedEnough: Bool {
        rate != .realTime && renewals >= RenewalSchedule.compressedRenewalsMax && !isCommitted
    }

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
        plan = known?.plan
        dueAt = try row["due_at"]
        attempt = try row["attempt"]
    }
}

/// The product, plan and renewal that follow: after the commitment while it has more payments, else after the period.
extension StoredSubscription {
    /// Whether more payments of a commitment are to come.
    var isCommitted: Bool { plan?.afterwards != nil }

    /// Whether the subscription renews after that.
    var renewsAfterwards: Bool { plan?.afterwards?.willAutoRenew ?? willAutoRenew }

    /// The product that follows.
    var productAfterwards: String { plan?.afterwards?.product ?? renewProduct }

    /// The plan that follows.
    var planAfterwards: BillingPlan { plan?.afterwards?.plan ?? plan?.next ?? .upFront }

    /// The plan of the present period.
    var presentPlan: BillingPlan { plan?.present ?? .upFront }

    /// When it follows.
    var endOfTerms: Timestamp {
        guard isCommitted, let commitment = plan?.commitment else { return period.end }
        return commitment.expiresDate
    }

    /// Whether another product or plan follows.
    var isChanged: Bool { !productAfterwards.isExactly(product) || planAfterwards != presentPlan }

    /// The renewal after the commitment, with its price as far as the row has it. Nil without a commitment.
    var commitmentRenewal: CommitmentRenewal? {
        guard let commitment = plan?.commitment else { return nil }
        return CommitmentRenewal(
            willAutoRenew: renewsAfterwards, autoRenewProductIdentifier: productAfterwards,
            billingPlanType: planAfterwards, renewalDate: commitment.expiresDate,
            renewalPrice: isChanged && renewsAfterwards
                ? nil : (priceIncrease?.price).flatMap { $0.times(commitment.totalBillingPeriods) } ?? commitment.price)
    }
}

extension Quote {
    /// The price of what follows a commitment: of all payments that it commits to. Nil while that is not for sale.
    func price(after value: StoredSubscription) -> Money? {
        guard availability == .available, let product else { return nil }
        return value.planAfterwards == .monthly ? product.monthlyTerms?.commitmentPrice : product.price
    }
}

/// Decides whether a customer may have an introductory offer in a subscription group (M119…M129). The type is pure.
/// PaymentQueue applies it inside the purchase's commit and Eligibility when a client asks, so both always give the
/// same answer.
///
/// The history is PaymentQueue's own, or ``ReceiptHistory/groups(ofProducts:)`` makes it of a receipt. The answer is
/// the same (O5), except that a receipt shows neither an offer that a payment in flight holds nor a late renewal.
///
/// The first rule that applies decides:
/// - An offer was used in the group, refunded or not.
/// - A payment holds an offer.
/// - A subscription of the group is active, grace and billing retry included.
/// - Otherwise the customer is eligible.
public enum IntroductoryOfferPolicy {
    /// The reason of a decision (M129).
    public enum Rule: String, CaseIterable, Sendable, Codable {
        /// Never subscribed to any product of the group: eligible (M124).
        case newSubscriber
        /// Subscribed before but not now, and never used an offer in the group: eligible (M125).
        case lapsedWithoutOffer
        /// An offer was used in the group, for any product: ineligible (M121, M125). A refund does not change that
        /// (M128).
        case offerUsed
        /// A payment in flight holds the offer: ineligible (M134).
        case offerReserved
        /// Subscribed to the group now, regardless of the history: ineligible (M126).
        case subscribed
        /// The last renewal could not be charged and access continues: ineligible, as a subscriber (M127).
        case inGracePeriod
        /// The last renewal could not be charged and is retried: ineligible, as a subscriber (M127).
        case inBillingRetryPeriod
        /// PaymentQueue did not answer, or a receipt does not decide: unknown. Such a receipt has an offer of a product
        /// that no longer exists and whose group is unknown.
        case historyUnavailable
    }

    /// Whether the customer may have the offer, and why.
    public struct Decision: Hashable, Sendable {
        /// Follows from `rule` alone.
        public let eligibility: OfferEligibility
        /// The first rule that applied.
        public let rule: Rule
        /// The transaction that decided: the one with the offer, else the subscription's latest.
        public let transactionIdentifier: String?
        /// The product whose offer was used or is held.
        public let usedProductIdentifier: String?

        init(
            eligibility: OfferEligibility, rule: Rule, transactionIdentifier: String?,
            usedProductIdentifier: String? = nil
        ) {
            self.eligibility = eligibility
            self.rule = rule
            self.transactionIdentifier = transactionIdentifier
            self.usedProductIdentifier = usedProductIdentifier
        }
    }

    /// Decides for one group.
    ///
    /// - Parameters:
    ///   - history: The group's history, or nil if the customer has none.
    ///   - now: The business clock, never the wall clock.
    public static func decide(history: SubscriptionGroupHistory?, now: Timestamp) -> Decision {
        guard let history else {
            return Decision(eligibility: .eligible, rule: .newSubscriber, transactionIdentifier: nil)
        }
        if let used = history.introductoryOfferTransaction {
            return Decision(
                eligibility: .ineligible, rule: .offerUsed, transactionIdentifier: used,
                usedProductIdentifier: history.introductoryOfferProduct)
        }
        if history.introductoryOfferReserved {
            return Decision(
                eligibility: .ineligible, rule: .offerReserved, transactionIdentifier: nil,
                usedProductIdentifier: history.introductoryOfferProduct)
        }
        let latest = history.activeTransaction
        switch history.status(at: now) {
        case .new:
            return Decision(eligibility: .eligible, rule: .newSubscriber, transactionIdentifier: nil)
        case .former:
            return Decision(eligibility: .eligible, rule: .lapsedWithoutOffer, transactionIdentifier: latest)
        case .existing(let state):
            return Decision(eligibility: .ineligible, rule: rule(of: state), transactionIdentifier: latest)
        }
    }

    private static func rule(of state: SubscriptionState) -> Rule {
        switch state {
        case .inGracePeriod: .inGracePeriod
        case .inBillingRetryPeriod: .inBillingRetryPeriod
        case .subscribed, .expired, .revoked: .subscribed
        }
    }
}

/// Decides whether a customer may have an introductory offer in a subscription group, from what PaymentQueue keeps
/// of the group. Pure: PaymentQueue applies it inside the purchase's commit, Eligibility when a client asks, so both
/// always give the same answer.
public enum IntroductoryOfferPolicy {
    /// Why the answer is what it is (M129).
    public enum Rule: String, Sendable, Codable {
        /// No subscription of the group, ever: eligible (M124).
        case newSubscriber
        /// Had one, none now, never an offer in the group: eligible (M125).
        case lapsedWithoutOffer
        /// An offer was used in the group, whatever product, refunded or not: ineligible (M121, M125, M128).
        case offerUsed
        /// A payment in flight holds the offer: ineligible (M134).
        case offerReserved
        /// Subscribed to the group now, whatever the history: ineligible (M126).
        case subscribed
        /// PaymentQueue could not be asked: unknown.
        case historyUnavailable
    }

    public struct Decision: Hashable, Sendable {
        public let eligibility: OfferEligibility
        public let rule: Rule
        /// The transaction that decided, if one did.
        public let transactionIdentifier: String?
    }

    /// - Parameters:
    ///   - history: the group's history; nil when the customer has none.
    ///   - now: the business clock, never the wall clock.
    public static func decide(history: SubscriptionGroupHistory?, now: Timestamp) -> Decision {
        guard let history else {
            return Decision(eligibility: .eligible, rule: .newSubscriber, transactionIdentifier: nil)
        }
        if let used = history.introductoryOfferTransaction {
            return Decision(eligibility: .ineligible, rule: .offerUsed, transactionIdentifier: used)
        }
        if history.introductoryOfferReserved {
            return Decision(eligibility: .ineligible, rule: .offerReserved, transactionIdentifier: nil)
        }
        guard let activeUntil = history.activeUntil else {
            return Decision(eligibility: .eligible, rule: .newSubscriber, transactionIdentifier: nil)
        }
        return activeUntil > now
            ? Decision(eligibility: .ineligible, rule: .subscribed, transactionIdentifier: history.activeTransaction)
            : Decision(
                eligibility: .eligible, rule: .lapsedWithoutOffer, transactionIdentifier: history.activeTransaction)
    }
}

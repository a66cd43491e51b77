/// Decides whether a customer may have a subscription's promotional offer. Every present or former subscriber of the
/// group may, as often as the app signs for it. The type is pure, and PaymentQueue applies it inside the purchase's
/// commit. A promotional offer neither requires the introductory offer nor uses it up.
public enum PromotionalOfferPolicy {
    /// The reason of a decision.
    public enum Rule: String, CaseIterable, Sendable, Codable {
        /// Subscribed now, grace and billing retry included: eligible.
        case subscribed
        /// Was subscribed: eligible.
        case lapsed
        /// Never subscribed to the group: `ineligibleForOffer` (18).
        case neverSubscribed
    }

    /// Whether the customer may have the offer, and why.
    public struct Decision: Hashable, Sendable {
        /// False only for `neverSubscribed`.
        public let isEligible: Bool
        /// The customer's standing in the group, which decides.
        public let rule: Rule
    }

    /// Decides for one group.
    ///
    /// - Parameters:
    ///   - history: The group's history, or nil if the customer has none.
    ///   - now: The business clock.
    public static func decide(history: SubscriptionGroupHistory?, now: Timestamp) -> Decision {
        switch history?.status(at: now) ?? .new {
        case .new: Decision(isEligible: false, rule: .neverSubscribed)
        case .existing: Decision(isEligible: true, rule: .subscribed)
        case .former: Decision(isEligible: true, rule: .lapsed)
        }
    }
}

/// Decides whether a customer is in the audience of an offer code. The type is pure. PaymentQueue decides the rest with
/// the purchase: one code of an offer a customer, and no downgrade.
public enum OfferCodePolicy {
    /// Whether the customer may redeem the code, and why.
    public struct Decision: Hashable, Sendable {
        /// Whether `audience` is among the code's audiences.
        public let isEligible: Bool
        /// The customer's audience in the group, which is also the reason.
        public let audience: RedeemableOffer.Audience
    }

    /// Decides for one code.
    ///
    /// - Parameters:
    ///   - audiences: The customers the code is for. Nil or empty for all.
    ///   - history: The group's history, or nil if the customer has none.
    ///   - now: The business clock.
    public static func decide(
        audiences: [RedeemableOffer.Audience]?, history: SubscriptionGroupHistory?, now: Timestamp
    ) -> Decision {
        let audience = audience(of: history, at: now)
        let wanted = audiences ?? []
        return Decision(isEligible: wanted.isEmpty || wanted.contains(audience), audience: audience)
    }

    private static func audience(
        of history: SubscriptionGroupHistory?, at now: Timestamp
    ) -> RedeemableOffer.Audience {
        switch history?.status(at: now) ?? .new {
        case .new: .new
        case .existing: .existing
        case .former: .expired
        }
    }
}

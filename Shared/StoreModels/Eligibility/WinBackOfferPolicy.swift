/// Decides whether a former subscriber may have a win-back offer, by the offer's own conditions. The type is pure.
/// Months are 30 days of business time.
public enum WinBackOfferPolicy {
    /// The reason of a decision.
    public enum Rule: String, CaseIterable, Sendable, Codable {
        /// Never subscribed to the group, or the offer is not a win-back offer: ineligible.
        case neverSubscribed
        /// Subscribed now, grace and billing retry included: ineligible.
        case subscribed
        /// Paid for fewer months than the offer requires.
        case tooFewPaidMonths
        /// The subscription ended fewer or more months ago than the offer requires.
        case expiredTooRecently, expiredTooLongAgo
        /// The last win-back offer of the group is too recent, or offers are given once.
        case offeredTooRecently
        /// The catalogue offers it to no customer.
        case notOffered
        /// Eligible.
        case conditionsMet
    }

    /// Whether the customer may have the offer, and why.
    public struct Decision: Hashable, Sendable {
        /// The first condition that failed, or `conditionsMet`.
        public let rule: Rule
        /// Whether the customer may redeem the offer now.
        public var isEligible: Bool { rule == .conditionsMet }
    }

    /// A month in milliseconds.
    public static let month: Int64 = 30 * 86_400_000

    /// Decides for one offer.
    ///
    /// - Parameter now: The business clock.
    public static func decide(
        _ conditions: RedeemableOffer.WinBackConditions, facts: WinBackFacts, now: Timestamp
    ) -> Decision {
        Decision(rule: rule(conditions, facts, now))
    }

    /// The offers that the customer may have now, the best first. Free offers come before paid ones, then the longest,
    /// then the cheapest, then by identifier. That order is this store's. Apple uses the operator's priority.
    public static func eligible(
        _ offers: [RedeemableOffer], facts: WinBackFacts, now: Timestamp
    ) -> [RedeemableOffer] {
        offers.filter { offer in
            guard offer.type == .winBack, let conditions = offer.winBack else { return false }
            return decide(conditions, facts: facts, now: now).isEligible
        }.sorted { rank($0) < rank($1) }
    }

    private static func rule(
        _ conditions: RedeemableOffer.WinBackConditions, _ facts: WinBackFacts, _ now: Timestamp
    ) -> Rule {
        guard conditions.isOffered != false else { return .notOffered }
        switch facts.history?.status(at: now) ?? .new {
        case .new: return .neverSubscribed
        case .existing: return .subscribed
        case .former: break
        }
        guard facts.paidMonths >= conditions.paidMonthsMin else { return .tooFewPaidMonths }
        let since = now.milliseconds - (facts.expiredAt ?? now).milliseconds
        if since < Int64(conditions.monthsSinceExpiryMin) * month { return .expiredTooRecently }
        // A range of 2…24 months is over when the 25th begins.
        if let most = conditions.monthsSinceExpiryMax, since >= Int64(most + 1) * month { return .expiredTooLongAgo }
        if let last = facts.lastWinBackAt {
            guard let wait = conditions.monthsBetweenOffers else { return .offeredTooRecently }
            if now.milliseconds - last.milliseconds < Int64(wait) * month { return .offeredTooRecently }
        }
        return .conditionsMet
    }

    private static func rank(_ offer: RedeemableOffer) -> (Int, Int, Int64, String) {
        let discount = offer.offer
        let length = WinBackFacts.months(of: [discount.subscriptionPeriod.times(discount.numberOfPeriods)])
        return (
            discount.paymentMode == .freeTrial ? 0 : 1, -length, discount.price.minorUnits, discount.identifier ?? ""
        )
    }
}

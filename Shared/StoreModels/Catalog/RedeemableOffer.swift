/// A win-back offer or offer code of a subscription, with its conditions.
///
/// ```json
/// {"type":"winBack","offer":{"identifier":"back.free.month","type":"subscription",…},
///  "winBack":{"paidMonthsMin":6,"monthsSinceExpiryMin":2,"monthsSinceExpiryMax":24,"monthsBetweenOffers":3}}
/// ```
public struct RedeemableOffer: Hashable, Sendable, Codable {
    /// The ways of redeeming an offer outside a payment's own discount.
    public enum Kind: String, CaseIterable, Sendable, Codable { case code, winBack }

    /// The customers an offer code is for, in the words of `.storekit` files.
    public enum Audience: String, CaseIterable, Sendable, Codable { case new, existing, expired }

    /// The conditions a former subscriber must meet, in months of 30 days.
    public struct WinBackConditions: Hashable, Sendable, Codable {
        /// Months paid for in the whole group.
        public var paidMonthsMin: Int
        /// Months since the end of the subscription, at least.
        public var monthsSinceExpiryMin: Int
        /// Months since the end of the subscription, at most. Absent for no bound.
        public var monthsSinceExpiryMax: Int?
        /// Months since the last redeemed win-back offer. Absent if a customer gets only one.
        public var monthsBetweenOffers: Int?
        /// False if no customer may have it, as Xcode's switch for all customers says. Absent means true.
        public var isOffered: Bool?
    }

    /// Decides which of the members below are present.
    public var type: Kind
    /// `identifier` is the win-back offer's identifier, or the code's reference name.
    public var offer: ProductDiscount
    /// For offer codes, the customers that an offer is for. Absent for all customers.
    public var audiences: [Audience]?
    /// For offer codes: whether an eligible customer may have the introductory offer as well.
    public var isStackable: Bool?
    /// For win-back offers: the conditions for a former subscriber, in months of 30 days.
    public var winBack: WinBackConditions?
}

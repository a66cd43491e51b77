/// A win-back offer or an offer code of a subscription: its benefit, and the eligible customers.
///
/// ```json
/// {"type":"winBack","offer":{"identifier":"back.free.month","type":"subscription",…},
///  "winBack":{"paidMonthsMin":6,"monthsSinceExpiryMin":2,"monthsSinceExpiryMax":24,"monthsBetweenOffers":3}}
/// ```
public struct RedeemableOffer: Hashable, Sendable, Codable {
    public enum Kind: String, CaseIterable, Sendable, Codable { case code, winBack }

    /// Whom an offer code is for, as `.storekit` files say it.
    public enum Audience: String, CaseIterable, Sendable, Codable { case new, existing, expired }

    /// What a former subscriber must have been, in months of 30 days.
    public struct WinBackConditions: Hashable, Sendable, Codable {
        /// Paid for, in all, over the whole group.
        public var paidMonthsMin: Int
        public var monthsSinceExpiryMin: Int
        public var monthsSinceExpiryMax: Int?
        /// Since the last win-back offer that was redeemed; nil: once.
        public var monthsBetweenOffers: Int?
        /// False: no customer may have it, as Xcode's switch for all customers says; nil: true.
        public var isOffered: Bool?
        public init(
            paidMonthsMin: Int, monthsSinceExpiryMin: Int, monthsSinceExpiryMax: Int? = nil,
            monthsBetweenOffers: Int? = nil, isOffered: Bool? = nil
        ) {
            self.paidMonthsMin = paidMonthsMin
            self.monthsSinceExpiryMin = monthsSinceExpiryMin
            self.monthsSinceExpiryMax = monthsSinceExpiryMax
            self.monthsBetweenOffers = monthsBetweenOffers
            self.isOffered = isOffered
        }
    }

    public var type: Kind
    /// `identifier` is the win-back offer's identifier, or the code's reference name.
    public var offer: ProductDiscount
    /// Of offer codes.
    public var audiences: [Audience]?
    /// Of offer codes: an eligible customer may have the introductory offer as well.
    public var isStackable: Bool?
    /// Of win-back offers.
    public var winBack: WinBackConditions?

    public init(
        type: Kind, offer: ProductDiscount, audiences: [Audience]? = nil, isStackable: Bool? = nil,
        winBack: WinBackConditions? = nil
    ) {
        self.type = type
        self.offer = offer
        self.audiences = audiences
        self.isStackable = isStackable
        self.winBack = winBack
    }
}

import StoreModels

/// What comes with a payment about an offer other than the introductory one, besides the payment itself. Kept with the
/// transaction, because a purchase that waited or was interrupted is planned again.
struct OfferRequest: Hashable, Sendable, Codable {
    /// What the gateway found the signature of the payment's discount to be.
    var discountCheck: DiscountCheck?
    /// An offer redeemed outside the app.
    var redeemed: RedeemedOffer?

    /// - Returns: Nil when there is nothing to keep.
    init?(discountCheck: DiscountCheck?, redeemed: RedeemedOffer?) {
        guard discountCheck != nil || redeemed != nil else { return nil }
        self.discountCheck = discountCheck
        self.redeemed = redeemed
    }
}

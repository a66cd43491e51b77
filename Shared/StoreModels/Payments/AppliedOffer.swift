/// The offer a transaction was bought with: `{"type":"introductory","paymentMode":"freeTrial"}`.
public struct AppliedOffer: Hashable, Sendable, Codable {
    /// The kind of offer. Apple's server numbers them 1 introductory, 2 promotional (`subscription`, as StoreKit names
    /// it), 3 code, 4 win-back.
    public enum Kind: String, CaseIterable, Sendable, Codable { case introductory, subscription, code, winBack }

    /// The kind of offer, as the catalogue declares it.
    public var type: Kind
    /// As the offer's ``ProductDiscount/paymentMode``.
    public var paymentMode: ProductDiscount.PaymentMode
    /// Absent for the introductory offer.
    public var identifier: String?
    /// The length of the whole offer.
    public var period: SubscriptionPeriod?
}

/// An introductory, promotional or win-back offer, as `SKProductDiscount`:
///
/// ```json
/// {"identifier":null,"type":"introductory","price":{"amount":"0.00","currency":"USD"},
///  "priceLocale":"en_US@currency=USD","paymentMode":"freeTrial",
///  "subscriptionPeriod":{"numberOfUnits":1,"unit":"week"},"numberOfPeriods":1}
/// ```
public struct ProductDiscount: Hashable, Sendable, Codable {
    /// `SKProductDiscount.Type`: 0 and 1 in StoreKit.
    public enum Kind: String, CaseIterable, Sendable, Codable { case introductory, subscription }

    /// `SKProductDiscount.PaymentMode` (M113): 0, 1 and 2 in StoreKit.
    public enum PaymentMode: String, CaseIterable, Sendable, Codable { case payAsYouGo, payUpFront, freeTrial }

    /// Null for the introductory offer, which has no identifier.
    @Nullable public var identifier: String?
    /// `introductory`, or `subscription` for any other offer.
    public var type: Kind
    /// The price of one charge: each period for `payAsYouGo`, once for `payUpFront`, zero for `freeTrial`.
    public var price: Money
    /// As ``Product/priceLocale``.
    public var priceLocale: String
    /// How the customer pays for the offer. It also decides the period that `price` covers.
    public var paymentMode: PaymentMode
    /// The length of one period of the offer, not of the subscription.
    public var subscriptionPeriod: SubscriptionPeriod
    /// The offer lasts `subscriptionPeriod` × `numberOfPeriods`.
    public var numberOfPeriods: Int
    /// ``price`` as the storefront's locale writes it.
    public var displayPrice: String?
}

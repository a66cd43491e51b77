/// A product, localized and priced for one storefront, as `SKProduct`.
///
/// Price and locale are the store's, never the device's (M10, M11). `introductoryPrice` is present for every customer,
/// eligible or not (M130).
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","type":"nonConsumable","localizedTitle":"Hidden Beaches",
///  "localizedDescription":"Twelve quiet beaches with maps and directions.","price":{"amount":"0.99",
///  "currency":"USD"},"priceLocale":"en_US@currency=USD","discounts":[],"isFamilyShareable":true,
///  "isDownloadable":false,"downloadContentLengths":[],"downloadContentVersion":"","displayPrice":"$0.99",
///  "introductoryOfferEligibility":"ineligible"}
/// ```
public struct Product: Hashable, Sendable, Codable {
    /// At most 100 characters. The operator chooses it, so it is never a subject token.
    public var productIdentifier: String
    /// Fixed by the catalogue file. An import may change it.
    public var type: ProductType
    /// In the storefront's language. The reference name if the product has no title.
    public var localizedTitle: String
    /// In the storefront's language. Empty if the product has no text.
    public var localizedDescription: String
    /// In the storefront's currency, for a quantity of 1.
    public var price: Money
    /// A locale identifier that carries the currency, `fr_FR@currency=EUR`: the store's, never the device's.
    public var priceLocale: String
    /// Auto-renewable only.
    public var subscriptionPeriod: SubscriptionPeriod?
    /// Auto-renewable only.
    public var subscriptionGroupIdentifier: String?
    /// Absent if the subscription has no such offer. The customer's eligibility does not matter.
    public var introductoryPrice: ProductDiscount?
    /// Promotional offers.
    public var discounts: [ProductDiscount] = []
    /// Copied from the catalogue file. It has no effect on purchases.
    public var isFamilyShareable: Bool = false
    /// Whether the catalogue declares hosted content for it.
    public var isDownloadable: Bool = false
    /// Bytes of each hosted content package.
    public var downloadContentLengths: [Int64] = []
    /// Dotted integers, such as `1.0`. Empty if the product has no content.
    public var downloadContentVersion: String = ""
    /// ``price`` as the storefront's locale writes it, `0,99 €`.
    public var displayPrice: String?
    /// Win-back offers. The customer's eligibility does not matter. Absent for products that are not auto-renewable.
    public var winBackOffers: [ProductDiscount]?
    /// The level in its subscription group, from 1, the highest. Auto-renewable only.
    public var subscriptionGroupLevel: Int?
    /// The subscription group's name, in the storefront's language. The group's name in the catalogue file if it has no
    /// text. Auto-renewable only.
    public var subscriptionGroupDisplayName: String?
    /// The terms of each billing plan. Absent for a product that is sold for each period up front alone.
    public var pricingTerms: [BillingTerms]?
    /// Added by the gateway for the requesting customer. Absent in Catalog's answers.
    public var introductoryOfferEligibility: OfferEligibility?
}

/// A product, localized and priced for one storefront, as `SKProduct`.
///
/// Price and locale are the store's, never the device's (M10, M11). `introductoryPrice` is present for every customer,
/// eligible or not (M130).
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","type":"nonConsumable","localizedTitle":"Hidden Beaches",
///  "localizedDescription":"Twelve quiet beaches with maps and directions.","price":{"amount":"0.99",
///  "currency":"USD"},"priceLocale":"en_US@currency=USD","discounts":[],"isFamilyShareable":true,
///  "isDownloadable":false,"downloadContentLengths":[],"downloadContentVersion":"",
///  "introductoryOfferEligibility":"ineligible"}
/// ```
public struct Product: Hashable, Sendable, Codable {
    /// At most 100 characters; chosen by the operator, so never a subject token.
    public var productIdentifier: String
    /// Fixed by the catalogue file; an import may change it.
    public var type: ProductType
    /// In the storefront's language; the reference name where there is no title.
    public var localizedTitle: String
    /// In the storefront's language; empty where there is no text.
    public var localizedDescription: String
    /// In the storefront's currency, for a quantity of 1.
    public var price: Money
    /// A locale identifier that carries the currency, `fr_FR@currency=EUR`: the store's, never the device's.
    public var priceLocale: String
    /// Auto-renewable only.
    public var subscriptionPeriod: SubscriptionPeriod?
    /// Auto-renewable only.
    public var subscriptionGroupIdentifier: String?
    /// Absent when the subscription has none; eligibility plays no part.
    public var introductoryPrice: ProductDiscount?
    /// Promotional offers.
    public var discounts: [ProductDiscount] = []
    /// Copied from the catalogue file; without effect on purchases.
    public var isFamilyShareable: Bool = false
    /// Whether the catalogue declares hosted content for it.
    public var isDownloadable: Bool = false
    /// Bytes of each hosted content package.
    public var downloadContentLengths: [Int64] = []
    /// Dotted integers, `1.0`; empty when there is no content.
    public var downloadContentVersion: String = ""
    /// Added by the gateway for the requesting customer; absent in Catalog's answers.
    public var introductoryOfferEligibility: OfferEligibility?
}

/// The description of a storefront, for people who choose one:
///
/// ```json
/// {"countryCode":"FRA","identifier":"143442","name":"France","currency":"EUR","locale":"fr_FR",
///  "languages":["fr_FR","en_GB"]}
/// ```
public struct StorefrontDescription: Hashable, Sendable, Codable {
    /// ISO 3166-1 alpha-3.
    public var countryCode: String
    /// Apple's number for it, as text.
    public var identifier: String
    /// English name of the country or region.
    public var name: String
    /// The currency of all prices in this storefront.
    public var currency: Currency
    /// The locale of its prices.
    public var locale: String
    /// The languages of its shop, in order of preference.
    public var languages: [String]
}

/// All storefronts, by country code.
public struct StorefrontDescriptions: Hashable, Sendable, Codable {
    /// The same list for every app and operator.
    public var storefronts: [StorefrontDescription]
}

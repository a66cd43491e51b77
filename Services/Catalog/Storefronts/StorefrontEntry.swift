import StoreModels

/// A storefront with its currency and languages, one line of `Resources/storefronts.json`:
///
/// ```json
/// {"countryCode":"FRA","identifier":"143442","name":"France","currency":"EUR","locale":"fr_FR",
///  "languages":["fr_FR","en_GB"]}
/// ```
struct StorefrontEntry: Hashable, Sendable, Decodable {
    let storefront: Storefront
    /// The English name of the country or region.
    let name: String
    let currency: Currency
    /// The locale of its prices.
    let locale: String
    /// The languages of its texts, in order of preference.
    let languages: [LocaleName]

    private enum CodingKeys: String, CodingKey { case countryCode, identifier, name, currency, locale, languages }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        storefront = Storefront(
            countryCode: try container.decode(String.self, forKey: .countryCode),
            identifier: try container.decode(String.self, forKey: .identifier))
        name = try container.decode(String.self, forKey: .name)
        currency = try container.decode(Currency.self, forKey: .currency)
        locale = try container.decode(String.self, forKey: .locale)
        languages = try container.decode([String].self, forKey: .languages).map { text in
            guard let name = LocaleName(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .languages, in: container, debugDescription: "'\(text)' is not a locale")
            }
            return name
        }
    }

    /// The value of `priceLocale`: `fr_FR@currency=EUR`.
    var priceLocale: String { "\(locale)@currency=\(currency)" }

    /// The ISO 3166-1 alpha-2 code, such as `FR`: the locale's region.
    var regionCode: String { locale.split(separator: "_").last.map(String.init) ?? "" }

    /// The complete description, for people who choose a storefront.
    var described: StorefrontDescription {
        StorefrontDescription(
            countryCode: storefront.countryCode, identifier: storefront.identifier, name: name, currency: currency,
            locale: locale, languages: languages.map(\.description))
    }
}

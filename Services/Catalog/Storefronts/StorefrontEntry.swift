import StoreModels

/// A storefront with its data for prices and titles, one line of `Resources/storefronts.json`:
///
/// ```json
/// {"countryCode":"FRA","identifier":"143442","name":"France","currency":"EUR","locale":"fr_FR",
///  "languages":["fr_FR","en_GB"]}
/// ```
struct StorefrontEntry: Hashable, Sendable, Decodable {
    let storefront: Storefront
    /// English name of the country or region.
    let name: String
    let currency: Currency
    /// Locale of its prices.
    let locale: String
    /// Languages of its shop in order of preference.
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

    /// Value of `priceLocale`: `fr_FR@currency=EUR`.
    var priceLocale: String { "\(locale)@currency=\(currency)" }

    /// ISO 3166-1 alpha-2, `FR`: the locale's region.
    var regionCode: String { locale.split(separator: "_").last.map(String.init) ?? "" }

    /// Complete description, for people who choose a storefront.
    var described: StorefrontDescription {
        StorefrontDescription(
            countryCode: storefront.countryCode, identifier: storefront.identifier, name: name, currency: currency,
            locale: locale, languages: languages.map(\.description))
    }
}

import StoreModels

/// The App Store's storefronts, compiled in from `Resources/storefronts.json`.
struct StorefrontTable: Sendable {
    /// The entries sorted by country code.
    let entries: [StorefrontEntry]
    private let positions: [ExactText: Int]

    /// The table compiled into the program. A test reads it, so an invalid table is never released.
    static let builtIn: StorefrontTable = {
        do {
            return try StorefrontTable(json: PackageResources.storefronts_json)
        } catch {
            preconditionFailure("Resources/storefronts.json: \(error)")
        }
    }()

    /// Reads a table.
    /// - Throws: `requestInvalid` that names the line's path when the table is malformed.
    init(json: [UInt8]) throws(StoreError) {
        entries = try StoreJSON.decode([StorefrontEntry].self, from: json)
        positions = Dictionary(
            exactly: entries.enumerated().map { ($0.element.storefront.countryCode, $0.offset) })
    }

    /// Returns the storefront of a country code, if it has one.
    subscript(countryCode: String) -> StorefrontEntry? { positions[countryCode].map { entries[$0] } }

    /// Returns the storefront of a country code.
    /// - Throws: `requestInvalid` for a storefront that is not in the table.
    func entry(_ countryCode: String) throws(StoreError) -> StorefrontEntry {
        guard let entry = self[countryCode] else {
            throw StoreError(
                .requestInvalid, "$.storefront: \(objection(to: countryCode))", details: ["path": "$.storefront"])
        }
        return entry
    }

    /// Returns the reason why `text` is not a storefront, with a suggestion such as "did you mean FRA?".
    func objection(to text: String) -> String {
        let hint = suggestion(for: text).map { "did you mean \($0)?" } ?? "it must be a country code such as USA"
        return "'\(text.prefix(20))' is not a storefront; \(hint)"
    }
}

extension StorefrontTable {
    /// Common codes that differ from the App Store's, as for the United Kingdom.
    private static let aliases = ["UK": "GBR", "ENG": "GBR", "XKX": "XKS", "XK": "XKS", "GER": "DEU", "SUI": "CHE"]

    /// Returns the code the user probably meant. The text may be in lower case, a code of two letters, a name, or have
    /// one wrong letter.
    /// - Returns: The alpha-3 code, or nil when no code is near.
    func suggestion(for text: String) -> String? {
        let wanted = text.uppercased()
        if let exact = self[wanted] ?? Self.aliases[wanted].flatMap({ self[$0] }) {
            return exact.storefront.countryCode
        }
        let named = entries.first { $0.regionCode == wanted || $0.name.uppercased() == wanted }
        return (named ?? mistyped(wanted))?.storefront.countryCode
    }

    /// Finds the storefront of a code with one error. The same first letter is preferred, because it is seldom wrong.
    private func mistyped(_ wanted: String) -> StorefrontEntry? {
        let near = entries.filter { Self.isOneLetterOff($0.storefront.countryCode, wanted) }
        return near.first { $0.storefront.countryCode.first == wanted.first } ?? near.first
    }

    /// Whether one letter was mistyped, or two neighbours were exchanged.
    private static func isOneLetterOff(_ code: String, _ text: String) -> Bool {
        let (left, right) = (Array(code.utf8), Array(text.utf8))
        guard left.count == right.count else { return false }
        let different = left.indices.filter { left[$0] != right[$0] }
        guard let first = different.first, let last = different.last else { return true }
        return first == last
            || (different.count == 2 && last == first + 1 && left[first] == right[last] && left[last] == right[first])
    }
}

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

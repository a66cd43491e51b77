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
///  "pricePattern":"# ##0,00 €","languages":["fr_FR","en_GB"]}
/// ```
struct StorefrontEntry: Hashable, Sendable, Decodable {
    let storefront: Storefront
    /// The English name of the country or region.
    let name: String
    let currency: Currency
    /// The locale of its prices.
    let locale: String
    /// How the locale writes prices.
    let pricePattern: PricePattern
    /// The languages of its texts, in order of preference.
    private(set) var languages: [LocaleName]

    private enum CodingKeys: String, CodingKey {
        case countryCode, identifier, name, currency, locale, pricePattern, languages
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        currency = try container.decode(Currency.self, forKey: .currency)
        storefront = Storefront(
            countryCode: try container.decode(String.self, forKey: .countryCode),
            identifier: try container.decode(String.self, forKey: .identifier), currency: currency)
        name = try container.decode(String.self, forKey: .name)
        let pattern = try container.decode(String.self, forKey: .pricePattern)
        guard let pricePattern = PricePattern(pattern, fractionDigits: currency.exponent) else {
            throw DecodingError.dataCorruptedError(
                forKey: .pricePattern, in: container, debugDescription: "'\(pattern)' is not a pattern of prices")
        }
        self.pricePattern = pricePattern
        locale = try container.decode(String.self, forKey: .locale)
        languages = try container.decode([String].self, forKey: .languages).map { text in
            guard let name = LocaleName(text) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .languages, in: container, debugDescription: "'\(text)' is not a locale")
            }
            return name
        }
    }

    /// Returns the storefront with another language before its own.
    func preferring(_ language: LocaleName) -> StorefrontEntry { with(self) { $0.languages.insert(language, at: 0) } }

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

/// A storefront's pattern of prices: `#.##0,00 €`.
///
/// `#` and `0` stand for digits. A price ends with the digits behind the decimal separator. If they are `#` in the
/// pattern, a price of whole units lacks them. The first group of the pattern has the fewest digits that a separator
/// follows: `##.##0,00` writes 1234 without one. A pattern with Arabic digits has `٠` in place of `0`.
struct PricePattern: Hashable, Sendable {
    private let prefix: String
    private let suffix: String
    /// Nil for a pattern without groups.
    private let groupSeparator: Unicode.Scalar?
    private let decimalSeparator: Unicode.Scalar?
    /// Number of digits in the last group.
    private let lastGroup: Int
    /// Number of digits in each group before the last.
    private let otherGroups: Int
    /// Fewest digits before the first separator.
    private let firstGroupMin: Int
    private let hidesZeros: Bool
    private let zero: Unicode.Scalar

    /// - Parameter fractionDigits: Number of digits after the decimal separator.
    /// - Returns: Nil for text that is no pattern with so many of them.
    init?(_ text: String, fractionDigits: Int) {
        let scalars = Array(text.unicodeScalars)
        guard let start = scalars.firstIndex(where: Self.isDigit), let end = scalars.lastIndex(where: Self.isDigit)
        else { return nil }
        let number = scalars[start...end]
        var separators = number.filter { !Self.isDigit($0) }
        var groups = number.split(omittingEmptySubsequences: false, whereSeparator: { !Self.isDigit($0) })
        let fraction = fractionDigits > 0 ? groups.removeLast() : []
        decimalSeparator = fractionDigits > 0 ? separators.popLast() : nil
        guard fraction.count == fractionDigits, separators.count <= 2, Set(separators).count <= 1,
            groups.count == separators.count + 1, !groups.contains(where: \.isEmpty)
        else { return nil }
        prefix = Self.text(scalars[..<start])
        suffix = Self.text(scalars[(end + 1)...])
        groupSeparator = separators.first
        lastGroup = groups[groups.count - 1].count
        otherGroups = groups.count == 3 ? groups[1].count : lastGroup
        firstGroupMin = groups[0].count
        hidesZeros = fraction.contains("#")
        zero = number.contains(Self.arabicZero) ? Self.arabicZero : "0"
    }

    /// Writes a price of the pattern's currency.
    func text(of price: Money) -> String {
        let parts = price.amount.split(separator: ".")
        var text = prefix + grouped(parts[0])
        if parts.count == 2, !hidesZeros || parts[1].contains(where: { $0 != "0" }) {
            if let decimalSeparator { text.unicodeScalars.append(decimalSeparator) }
            text += digits(parts[1])
        }
        return text + suffix
    }

    private func grouped(_ whole: Substring) -> String {
        guard let groupSeparator, whole.utf8.count >= lastGroup + firstGroupMin else { return digits(whole) }
        var groups = [digits(whole.suffix(lastGroup))]
        var rest = whole.dropLast(lastGroup)
        while !rest.isEmpty {
            groups.append(digits(rest.suffix(otherGroups)))
            rest = rest.dropLast(otherGroups)
        }
        return groups.reversed().joined(separator: String(groupSeparator))
    }

    private func digits(_ ascii: Substring) -> String {
        guard zero != "0" else { return String(ascii) }
        return Self.text(
            ascii.unicodeScalars.map { scalar in
                Unicode.Scalar(zero.value + scalar.value - 0x30) ?? scalar
            })
    }

    private static let arabicZero: Unicode.Scalar = "\u{660}"

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "#" || scalar == "0" || scalar == arabicZero
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}

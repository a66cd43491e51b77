import Foundation
import StoreModels
import Testing

@testable import Catalog

/// The table of `Resources/storefronts.json`, line by line.
@Suite struct StorefrontTableTests {
    private let table = StorefrontTable.builtIn

    /// Well-known storefronts, and some of the last ones the App Store opened.
    @Test(arguments: [
        ("USA", "143441", "USD"), ("FRA", "143442", "EUR"), ("DEU", "143443", "EUR"), ("GBR", "143444", "GBP"),
        ("AUT", "143445", "EUR"), ("ITA", "143450", "EUR"), ("ESP", "143454", "EUR"), ("CAN", "143455", "CAD"),
        ("AUS", "143460", "AUD"), ("JPN", "143462", "JPY"), ("CHN", "143465", "CNY"), ("KOR", "143466", "KRW"),
        ("BRA", "143503", "BRL"), ("AFG", "143610", "USD"), ("XKS", "143624", "EUR"), ("TZA", "143572", "TZS"),
        ("SRB", "143500", "EUR"), ("UKR", "143492", "USD"), ("BGR", "143526", "EUR"),
    ])
    func `a storefront has Apple's number and its currency`(country: String, identifier: String, currency: String)
        throws
    {
        let entry = try table.entry(country)
        let expected = Storefront(
            countryCode: country, identifier: identifier, currency: Currency(code: currency))
        #expect(entry.storefront == expected)
        #expect(entry.currency.code == currency)
    }

    @Test func `there are the App Store's 175 storefronts, in order and none twice`() {
        let codes = table.entries.map(\.storefront.countryCode)
        #expect(codes.count == 175)
        #expect(codes == codes.sorted())
        let identifiers = table.entries.map(\.storefront.identifier)
        for column in [codes, identifiers, table.entries.map(\.name), table.entries.map(\.regionCode)] {
            #expect(Set(column).count == 175)
        }
        #expect(Set(table.entries.map(\.locale)).count == 175)
    }

    @Test func `every line of the table is sound`() {
        for entry in table.entries {
            #expect(entry.storefront.countryCode.wholeMatch(of: /[A-Z]{3}/) != nil)
            #expect(entry.storefront.identifier.wholeMatch(of: /143[456]\d{2}/) != nil)
            #expect(entry.locale.wholeMatch(of: /[a-z]{2}(_[A-Z][a-z]{3})?_[A-Z]{2}/) != nil, "\(entry.locale)")
            #expect(!entry.name.isEmpty && entry.name == entry.name.trimmingCharacters(in: .whitespaces))
            #expect(entry.languages.first?.description == entry.locale)
            #expect(Set(entry.languages).count == entry.languages.count)
            // `DecimalAmount.fractionDigitsMax` rests on this.
            #expect(entry.currency.exponent <= 2)
        }
    }

    /// The App Store bills in these currencies; a misspelt one would be counted as having cents.
    @Test func `every currency is one of ISO 4217's, and those without minor units are known`() {
        let currencies = Set(table.entries.map(\.currency.code))
        #expect(currencies.count == 43)
        let known = Set(Locale.commonISOCurrencyCodes)
        #expect(currencies.subtracting(known).isEmpty)
        let withoutCents = currencies.filter { Currency(code: $0)?.exponent == 0 }
        #expect(withoutCents.sorted() == ["CLP", "JPY", "KRW", "VND"])
        #expect(table.entries.count { $0.currency.code == "EUR" } == 25)
    }

    /// ISO 3166-1, as Foundation knows it. Kosovo has no code there; the App Store calls it XKS.
    @Test func `country code and locale name the same country`() throws {
        for entry in table.entries where entry.storefront.countryCode != "XKS" {
            let region = Locale.Region(entry.regionCode)
            #expect(Locale.Region.isoRegions.contains(region), "\(entry.locale)")
            // Both codes begin with the same letter, but for two.
            let expected = ["SRB": "RS", "CYM": "KY"][entry.storefront.countryCode] ?? entry.storefront.countryCode
            #expect(entry.regionCode.first == expected.first, "\(entry.storefront)")
        }
        #expect(try table.entry("XKS").regionCode == "XK")
    }

    /// The texts depend on Unicode CLDR's release in Foundation. After a change there, write the new patterns.
    @Test func `prices are written as Foundation writes them in the locale`() throws {
        for entry in table.entries {
            let locale = Locale(identifier: entry.priceLocale)
            let style = Decimal.FormatStyle.Currency(code: entry.currency.code, locale: locale)
            for units in [0, 1, 9, 999, 1234, 9999, 12_345, 1_234_567, 1_234_567_890] as [Int64] {
                let scale: Int64 = entry.currency.exponent == 0 ? 1 : 100
                let price = Money(minorUnits: units * scale, currency: entry.currency)
                #expect(entry.pricePattern.text(of: price) == Decimal(units).formatted(style), "\(entry.locale)")
            }
            guard entry.currency.exponent > 0 else { continue }
            let exact = style.precision(.fractionLength(entry.currency.exponent))
            for units in [1, 99, 123_405] as [Int64] {
                let price = Money(minorUnits: units, currency: entry.currency)
                let text = (Decimal(units) / 100).formatted(exact)
                #expect(entry.pricePattern.text(of: price) == text, "\(entry.locale)")
            }
        }
    }

    @Test func `a price has the storefront's digits, separators and sign`() throws {
        for (country, units, text) in [
            ("USA", 123_499, "$1,234.99"), ("FRA", 123_499, "1\u{202F}234,99\u{A0}€"), ("JPN", 1200, "¥1,200"),
            ("IND", 12_345_600, "₹1,23,456.00"), ("ESP", 123_400, "1234,00\u{A0}€"), ("COL", 990_000, "$\u{A0}9.900"),
            ("EGY", 99, "\u{200F}٠٫٩٩\u{A0}ج.م.\u{200F}"),
        ] as [(String, Int64, String)] {
            let entry = try table.entry(country)
            #expect(entry.pricePattern.text(of: Money(minorUnits: units, currency: entry.currency)) == text)
        }
    }

    @Test(arguments: ["", "$", "#,##0", "#,##0.0", "#,##.0,00", "#,,##0.00"])
    func `a text that is no pattern of two digits is refused`(text: String) {
        #expect(PricePattern(text, fractionDigits: 2) == nil)
    }

    @Test func `a storefront is described with all that is known of it`() throws {
        let france = try table.entry("FRA").described
        #expect(
            france
                == StorefrontDescription(
                    countryCode: "FRA", identifier: "143442", name: "France",
                    currency: try #require(Currency(code: "EUR")), locale: "fr_FR", languages: ["fr_FR", "en_GB"]))
    }

    @Test(arguments: [
        ("fra", "FRA"), ("FR", "FRA"), ("France", "FRA"), ("UK", "GBR"), ("XKX", "XKS"), ("DUE", "DEU"), ("USB", "USA"),
        ("türkiye", "TUR"),
    ])
    func `a wrong code is answered with the one that was meant`(text: String, meant: String) {
        #expect(table.suggestion(for: text) == meant)
        let error = #expect(throws: StoreError.self) { try table.entry(text) }
        #expect(error?.message == "$.storefront: '\(text)' is not a storefront; did you mean \(meant)?")
    }

    @Test(arguments: ["", "Atlantis", "QQQ", "1"])
    func `nothing is suggested where nothing is near`(text: String) {
        #expect(table.suggestion(for: text) == nil)
        let error = #expect(throws: StoreError.self) { try table.entry(text) }
        #expect(error?.message.hasSuffix("it must be a country code such as USA") == true)
    }
}

import StoreModels

/// A price as a `.storekit` file has it: a decimal number without a currency.
///
/// A storefront without a separate price uses the number in its currency. Amounts are never converted (M11).
struct DecimalAmount: Hashable, Sendable {
    /// The digits, with a decimal point and further digits if there is a fraction.
    let text: String

    /// Reads `1.99`, `300`, and also `5.` and `.5`, which people write by hand. Nil for signs, exponents, words, commas
    /// and spaces.
    init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let digits = parts.joined()
        guard !digits.isEmpty, digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        let whole = parts[0].isEmpty ? "0" : String(decoding: parts[0], as: UTF8.self)
        let fraction = parts.count == 2 ? String(decoding: parts[1], as: UTF8.self) : ""
        self.text = fraction.isEmpty ? whole : "\(whole).\(fraction)"
    }

    private init(checked text: String) { self.text = text }

    static let zero = DecimalAmount(checked: "0")

    var isZero: Bool { text.allSatisfy { $0 == "0" || $0 == "." } }

    /// The number without leading and trailing zeros: `9.99` of `09.990`.
    var value: String {
        let whole = text.prefix { $0 != "." }.drop { $0 == "0" }
        let fraction = text.dropFirst(text.prefix { $0 != "." }.count + 1).prefix(fractionDigits)
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }

    /// Returns the amount a number of times: `59.88` of `4.99` and 12.
    ///
    /// - Precondition: At most ``wholeDigitsMax`` digits before the point, which the import has checked.
    func times(_ count: Int) -> DecimalAmount {
        let parts = value.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.dropFirst().first ?? ""
        let product = String((Int64("\(parts[0])\(fraction)") ?? 0) * Int64(count))
        guard !fraction.isEmpty else { return DecimalAmount(checked: product) }
        let places = fraction.utf8.count
        let padded = String(repeating: "0", count: max(0, places + 1 - product.utf8.count)) + product
        return DecimalAmount(checked: "\(padded.dropLast(places)).\(padded.suffix(places))")
    }

    /// The number of digits before the point without leading zeros.
    var wholeDigits: Int { text.prefix { $0 != "." }.drop { $0 == "0" }.count }

    /// The number of digits after the point without trailing zeros.
    var fractionDigits: Int {
        guard let point = text.firstIndex(of: ".") else { return 0 }
        return text[text.index(after: point)...].reversed().drop { $0 == "0" }.count
    }

    /// Returns the amount in a currency. If the currency has fewer digits, it is rounded half-up, and never to zero
    /// (`0.40` is ¥1).
    ///
    /// - Precondition: At most ``wholeDigitsMax`` digits before the point, which the import has checked.
    func money(in currency: Currency) -> Money {
        guard let money = Money(amount: text, currency: currency, rounding: .halfUp) else {
            preconditionFailure("an imported price has at most \(Self.wholeDigitsMax) digits and fits")
        }
        return money.minorUnits == 0 && !isZero ? Money(minorUnits: 1, currency: currency) : money
    }

    /// Maximum number of digits before the point. Ten of the most expensive product still fit 64 bits, in the smallest
    /// unit of any currency.
    static let wholeDigitsMax = 12
    /// Maximum number of digits after the point: no storefront's currency has more.
    static let fractionDigitsMax = 2
}

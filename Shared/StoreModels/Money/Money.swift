/// An amount of money as an integer of the currency's minor unit. No price uses floating point.
///
/// On the wire: `{"amount":"1.99","currency":"USD"}`, the amount a decimal string with exactly the currency's digits.
public struct Money: Hashable, Sendable, Codable {
    /// Minor units: cents for USD, yen for JPY. Never negative in a price, because a refund is an operation of its own.
    public var minorUnits: Int64
    /// Decides how many digits `minorUnits` has behind the point.
    public var currency: Currency
}

extension Money {
    /// Reads a decimal such as `1.99`, `0.5` or `300`. It has digits with at most one point, and no sign, exponent or
    /// spaces.
    ///
    /// - Parameter rounding: The treatment of digits the currency has no unit for (`2.99` yen): `.exact` refuses them,
    ///   `.halfUp` rounds to the nearest unit.
    /// - Returns: Nil when the text is not such a number or does not fit.
    public init?(amount: String, currency: Currency, rounding: Rounding = .exact) {
        let exponent = currency.exponent
        var units: Int64 = 0
        var wholeDigits = 0
        /// The number of digits behind the point, or nil before it.
        var fractionDigits: Int?
        var roundsUp = false
        for byte in amount.utf8 {
            if byte == UInt8(ascii: "."), wholeDigits > 0, fractionDigits == nil {
                fractionDigits = 0
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let digit = Int64(byte - UInt8(ascii: "0"))
            if let count = fractionDigits { fractionDigits = count + 1 } else { wholeDigits += 1 }
            guard (fractionDigits ?? 0) <= exponent else {
                // The currency has no unit for this digit.
                if rounding == .exact, digit != 0 { return nil }
                if fractionDigits == exponent + 1 { roundsUp = rounding == .halfUp && digit >= 5 }
                continue
            }
            guard let next = Self.appending(digit, to: units) else { return nil }
            units = next
        }
        guard wholeDigits > 0, fractionDigits != 0 else { return nil }
        for _ in 0..<max(0, exponent - (fractionDigits ?? 0)) {
            guard let next = Self.appending(0, to: units) else { return nil }
            units = next
        }
        if roundsUp {
            guard units < Int64.max else { return nil }
            units += 1
        }
        self.init(minorUnits: units, currency: currency)
    }

    /// Returns a part of the sum, rounded down to a minor unit.
    ///
    /// The refund of a part is computed so.
    /// - Parameter percentage: 1…100000, in thousandths of a percent, as
    ///   ``PaymentTransaction/revocationPercentage``.
    package func part(_ percentage: Int) -> Money {
        let product = minorUnits.multipliedFullWidth(by: Int64(percentage))
        return Money(minorUnits: Int64(100_000).dividingFullWidth(product).quotient, currency: currency)
    }

    /// Returns a number with one more decimal digit, or nil when it does not fit.
    private static func appending(_ digit: Int64, to number: Int64) -> Int64? {
        let (tenfold, overflow) = number.multipliedReportingOverflow(by: 10)
        let (sum, isTooLarge) = tenfold.addingReportingOverflow(digit)
        return overflow || isTooLarge ? nil : sum
    }

    /// The treatment of digits smaller than the currency's minor unit.
    public enum Rounding: Sendable {
        case exact
        case halfUp
    }

    /// The decimal text of the wire and of receipts: `1.99`, `300`, `0.500`.
    public var amount: String {
        let exponent = currency.exponent
        let digits = String(minorUnits.magnitude)
        let sign = minorUnits < 0 ? "-" : ""
        guard exponent > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, exponent + 1 - digits.utf8.count)) + digits
        return sign + padded.dropLast(exponent) + "." + padded.suffix(exponent)
    }

    /// The price of `quantity` pieces.
    /// - Returns: Nil when the product does not fit 64 bits.
    public func times(_ quantity: Int) -> Money? {
        let (units, overflow) = minorUnits.multipliedReportingOverflow(by: Int64(quantity))
        return overflow ? nil : Money(minorUnits: units, currency: currency)
    }

    private enum CodingKeys: String, CodingKey { case amount, currency }

    /// Reads amount and currency.
    /// - Throws: `DecodingError` for digits that the currency has no unit for.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let currency = try container.decode(Currency.self, forKey: .currency)
        let amount = try container.decode(String.self, forKey: .amount)
        guard let money = Money(amount: amount, currency: currency) else {
            throw DecodingError.dataCorruptedError(
                forKey: .amount, in: container, debugDescription: "'\(amount)' is not an amount of \(currency)")
        }
        self = money
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(amount, forKey: .amount)
        try container.encode(currency, forKey: .currency)
    }
}

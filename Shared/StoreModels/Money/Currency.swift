/// An ISO 4217 currency and the number of digits of its minor unit.
///
/// On the wire a currency is its alphabetic code, `"EUR"`. The exponent decides the integer unit of ``Money``: a cent
/// for the euro, a whole yen for the yen, a mil for the Kuwaiti dinar.
public struct Currency: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Three capital letters, as ISO 4217 spells them.
    public let code: String

    /// - Returns: Nil unless `code` is three letters A–Z.
    public init?(code: String) {
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else {
            return nil
        }
        self.code = code
    }

    /// Reads the alphabetic code.
    /// - Throws: `DecodingError` unless it is three letters A–Z.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let currency = Currency(code: text) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "'\(text)' is not an ISO 4217 code"))
        }
        self = currency
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(code)
    }

    /// The alphabetic code, `EUR`.
    public var description: String { code }

    /// Digits after the decimal point of the minor unit, from ISO 4217's table. Two unless the table says otherwise.
    public var exponent: Int {
        if Self.withoutMinorUnit.contains(code) { return 0 }
        if Self.withThreeDigits.contains(code) { return 3 }
        return 2
    }

    /// The codes of currencies without a minor unit.
    package static let withoutMinorUnit: Set<String> = [
        "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "VND", "VUV", "XAF", "XOF", "XPF",
    ]
    /// The codes of currencies whose minor unit has three digits.
    package static let withThreeDigits: Set<String> = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]
}

/// The identifier of an order, as on a customer's invoice: `M` and digits of base 32 that a person can spell.
///
/// One transaction is one order.
public enum OrderIdentifier {
    /// Without letters that look like digits.
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Makes the order of a transaction.
    /// - Parameter transactionIdentifier: Decimal digits.
    /// - Returns: Nil for any other text.
    public static func order(of transactionIdentifier: String) -> String? {
        guard var number = Int64(transactionIdentifier), number > 0 else { return nil }
        var digits: [UInt8] = []
        while number > 0 {
            digits.append(alphabet[Int(number & 31)])
            number >>= 5
        }
        return "M" + String(decoding: digits.reversed(), as: UTF8.self)
    }

    /// Reads the transaction of an order.
    /// - Returns: Its identifier, or nil for text that is not an order's.
    public static func transaction(of order: String) -> String? {
        guard order.utf8.first == UInt8(ascii: "M"), (2...14).contains(order.utf8.count),
            order.utf8.dropFirst().first != UInt8(ascii: "0")
        else { return nil }
        var number: Int64 = 0
        for byte in order.utf8.dropFirst() {
            guard let digit = alphabet.firstIndex(of: byte), number >> 58 == 0 else { return nil }
            number = number << 5 | Int64(digit)
        }
        return number > 0 ? "\(number)" : nil
    }
}

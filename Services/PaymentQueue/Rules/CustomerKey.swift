import Crypto
import StoreModels

/// The last token of a customer's hint subject: server-made text never becomes a subject, its hash does.
enum CustomerKey {
    /// 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
    static func of(bundleId: String, customerIdentifier: String) -> String {
        Hexadecimal.text(SHA256.hash(data: Array("\(bundleId)\0\(customerIdentifier)".utf8)).prefix(16))
    }
}

enum Hexadecimal {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

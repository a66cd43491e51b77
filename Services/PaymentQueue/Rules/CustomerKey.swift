import Crypto
import StoreModels

/// The last token of a customer's hint subject: server-made text never becomes a subject, its hash does.
enum CustomerKey {
    /// 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
    static func of(bundleId: String, customerIdentifier: String) -> String {
        Hex.text(SHA256.hash(data: Array("\(bundleId)\0\(customerIdentifier)".utf8)).prefix(16))
    }
}

import Crypto
import StoreModels

/// The literal subject of one customer's hints. Names that users choose never stand in a subject (S13), so the key is
/// the first 32 hexadecimal digits of SHA-256(bundleId NUL customerIdentifier).
enum CustomerSubject {
    static func changed(_ customer: CustomerReference) -> String {
        let text = Array(customer.bundleId.utf8) + [0] + Array(customer.customerIdentifier.utf8)
        return PaymentEvents.customerChanged(key: hex(SHA256.hash(data: text).prefix(16)))
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

import Crypto
import StoreModels

/// Computes a fingerprint that shows whether a repeated idempotency key has the same request.
///
/// It is SHA-256 over the decoded fields in a fixed order, each after its length. So JSON spelling and member order do
/// not matter, and different payments never have the same input. The device does not matter either: a key is the
/// customer's.
enum RequestFingerprint {
    /// Returns 64 hexadecimal digits.
    /// - Parameter redeemed: An offer that is redeemed with the payment. The gateway's check of its signature is left
    ///   out, because it follows from the payment.
    static func of(_ payment: Payment, redeemed: RedeemedOffer? = nil) -> String {
        var hash = SHA256()
        for field in fields(of: payment) { add(field, to: &hash) }
        if let redeemed {
            add(redeemed.type.rawValue, to: &hash)
            add(redeemed.identifier, to: &hash)
        }
        return Hex.text(hash.finalize())
    }

    private static func fields(of payment: Payment) -> [String?] {
        [
            "queue.add/1", payment.productIdentifier, "\(payment.quantity)", payment.applicationUsername,
            payment.appAccountToken, payment.simulatesAskToBuyInSandbox ? "1" : "0", payment.intentIdentifier,
            payment.paymentDiscount?.identifier, payment.paymentDiscount?.keyIdentifier,
            payment.paymentDiscount?.nonce, payment.paymentDiscount?.signature,
            payment.paymentDiscount.map { "\($0.timestamp)" },
        ]
    }

    /// Adds a field. An absent field differs from an empty one.
    private static func add(_ field: String?, to hash: inout SHA256) {
        let length = field.map { UInt32($0.utf8.count) } ?? .max
        hash.update(data: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
        if let field { hash.update(data: Array(field.utf8)) }
    }
}

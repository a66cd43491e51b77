import Crypto
import StoreModels

/// Tells whether a second request with the same idempotency key asks for the same thing: SHA-256 over the decoded
/// fields in a fixed order, each with its length before it, so that spelling and member order of the JSON play no part
/// and no two different payments run into one another. The device plays no part either: a key is the customer's.
enum RequestFingerprint {
    /// 64 hexadecimal digits.
    /// - Parameter redeemed: An offer that is redeemed with the payment. What the gateway found its signature to be
    ///   plays no part: it follows from the payment.
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

    /// A field that is absent differs from one that is empty.
    private static func add(_ field: String?, to hash: inout SHA256) {
        let length = field.map { UInt32($0.utf8.count) } ?? .max
        hash.update(data: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) })
        if let field { hash.update(data: Array(field.utf8)) }
    }
}

import Crypto
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Signs a promotional offer as an app's server does (Apple, "Generating a signature for promotional offers"): ECDSA on
/// P-256 with SHA-256, in DER, over what is bought and for whom, joined by U+2063.
enum SignedOffer {
    /// - Parameters:
    ///   - username: the payment's `applicationUsername`; nil signs the empty text.
    ///   - nonce: once only; a new one unless a test says otherwise.
    ///   - now: the wall clock; the signature counts for a day from it.
    /// - Throws: `offerKeyUnusable` for a key that is no PEM of P-256.
    static func sign(
        _ offer: String, of product: String, bundleId: String, username: String?, key: OfferKey,
        nonce: UUID = UUID(), now: Timestamp
    ) throws(CLIError) -> PaymentDiscount {
        let nonce = nonce.uuidString.lowercased()
        let text = text(
            offer, of: product, bundleId: bundleId, username: username, keyIdentifier: key.keyIdentifier,
            nonce: nonce, timestamp: now.milliseconds)
        guard let privateKey = try? P256.Signing.PrivateKey(pemRepresentation: key.pem),
            let signature = try? privateKey.signature(for: Data(text.utf8))
        else { throw OfferKey.unusable("the key \(key.keyIdentifier) is no private key of P-256 in PEM") }
        return PaymentDiscount(
            identifier: offer, keyIdentifier: key.keyIdentifier, nonce: nonce,
            signature: signature.derRepresentation.base64EncodedString(), timestamp: now.milliseconds)
    }

    /// What is signed.
    static func text(
        _ offer: String, of product: String, bundleId: String, username: String?, keyIdentifier: String,
        nonce: String, timestamp: Int64
    ) -> String {
        [bundleId, keyIdentifier, product, offer, username ?? "", nonce, "\(timestamp)"].joined(separator: "\u{2063}")
    }
}

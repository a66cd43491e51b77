import Cryptography
import FoundationEssentials
import StoreModels

/// A promotional offer's signature, as in Apple's "Generating a signature for promotional offers". It is ECDSA on P-256
/// with SHA-256, DER in Base64, over the app's bundle identifier, the key's identifier, the product's, the offer's, the
/// user's name, the nonce in lower case and the timestamp, joined by U+2063.
struct DiscountSignature {
    /// The validity of a signature, from its timestamp on.
    static let validFor = Duration.seconds(24 * 3600)
    /// The maximum lead of the signer's clock over the gateway's.
    static let skewMax = Duration.seconds(300)

    let bundleId: String
    let productIdentifier: String
    let discount: PaymentDiscount
    /// The names that the signature may contain for the customer.
    let usernames: [String]

    /// - Parameter payment: A payment whose discount is complete.
    init(bundleId: String, payment: Payment, discount: PaymentDiscount) {
        self.bundleId = bundleId
        self.productIdentifier = payment.productIdentifier
        self.discount = discount
        usernames = Self.usernames(of: payment)
    }

    /// Returns the user names that may have been signed. Apple's page signs `applicationUsername` unchanged, Apple's
    /// libraries in lower case, and an `appAccountToken` always in lower case. All three are accepted. Without a name
    /// the empty text was signed.
    private static func usernames(of payment: Payment) -> [String] {
        let names = [
            payment.applicationUsername, payment.applicationUsername?.lowercased(),
            payment.appAccountToken?.lowercased(),
        ].compactMap { $0 }
        return names.isEmpty ? anonymous : names
    }

    /// The names of a signer that knows nothing of the customer.
    private static let anonymous = [""]

    /// Returns the signed text.
    func text(for username: String) -> String {
        [
            bundleId, discount.keyIdentifier, productIdentifier, discount.identifier, username,
            discount.nonce.lowercased(), "\(discount.timestamp)",
        ].joined(separator: "\u{2063}")
    }

    /// Checks age, form and signature, in this order.
    /// - Parameters:
    ///   - publicKey: The key as PEM. With text that is not a key every signature is invalid.
    ///   - now: The wall clock, by which the app's server signs.
    func check(publicKey: String, now: Timestamp) -> DiscountCheck {
        guard Self.isTimely(discount.timestamp, now) else { return .signatureOutdated }
        guard let bytes = Data(base64Encoded: discount.signature),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: bytes)
        else { return .signatureMalformed }
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: publicKey) else { return .invalidSignature }
        func isSigned(for names: [String]) -> Bool {
            names.contains { key.isValidSignature(signature, for: Data(text(for: $0).utf8)) }
        }
        if isSigned(for: usernames) { return .valid }
        return isSigned(for: Self.anonymous) ? .signatureOfOtherUser : .invalidSignature
    }

    /// Whether a signature of an instant is accepted.
    /// - Parameter timestamp: Milliseconds since 1970, by the signer's clock.
    static func isTimely(_ timestamp: Int64, _ now: Timestamp) -> Bool {
        // Compared without a difference, which could overflow for a timestamp near the limits of its integer.
        let earliest = now.milliseconds - Int64(Self.validFor / .milliseconds(1))
        let latest = now.milliseconds + Int64(Self.skewMax / .milliseconds(1))
        return (earliest...latest).contains(timestamp)
    }
}

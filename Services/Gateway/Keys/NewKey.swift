import Crypto
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A new key with its secret, which is known only now.
struct NewKey: Sendable {
    let record: KeyRecord
    /// Shown once and not stored.
    let secret: String
    /// Stored instead of the secret; nil for a `subscriptionOffer`, whose public key suffices.
    ///
    /// One round of SHA-256 without salt: slow hashes are for passwords that people choose. This secret is 256 random
    /// bits, too many to guess or to occur twice.
    let digest: [UInt8]?

    /// - Parameter now: The wall clock.
    init(_ kind: KeyKind, bundleId: String, now: Timestamp) {
        let identifier = Self.randomIdentifier()
        var publicKey: String?
        switch kind {
        case .api: secret = APIKeyText(keyIdentifier: identifier, secret: Self.randomBytes()).text
        case .sharedSecret: secret = Hex.text(Self.randomBytes())
        case .subscriptionOffer:
            let key = P256.Signing.PrivateKey()
            secret = key.pemRepresentation
            publicKey = key.publicKey.pemRepresentation
        }
        digest = kind == .subscriptionOffer ? nil : Array(SHA256.hash(data: Array(secret.utf8)))
        record = KeyRecord(
            keyIdentifier: identifier, bundleId: bundleId, kind: kind, createdAt: now, publicKey: publicKey)
    }

    /// Ten capital letters and digits, as the App Store's are. They have 50 bits, so that no two of a store are equal.
    private static func randomIdentifier() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(randomBytes().prefix(10).map { alphabet[Int($0) % alphabet.count] })
    }

    private static func randomBytes() -> [UInt8] {
        SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
    }
}

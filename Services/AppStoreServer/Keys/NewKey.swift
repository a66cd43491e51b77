import Cryptography
import FoundationEssentials
import StoreModels

/// A new key with its secret, which the service does not keep.
struct NewKey: Sendable {
    let record: AppKeyRecord
    /// The secret, sent to the operator once and not stored.
    let secret: String

    /// Makes a key.
    ///
    /// A secret without a key pair is stored as its digest, one round of SHA-256 without salt. Slow hashes are for
    /// passwords that people choose. This secret has 256 random bits.
    /// - Parameter now: The wall clock.
    init(_ kind: KeyKind, bundleId: String, now: Timestamp) {
        let identifier = Self.randomIdentifier()
        var publicKey: String?
        switch kind {
        case .api: secret = APIKeyText(keyIdentifier: identifier, secret: Self.randomBytes()).text
        case .sharedSecret: secret = Hex.text(Self.randomBytes())
        case .subscriptionOffer, .inAppPurchase:
            let key = P256.Signing.PrivateKey()
            secret = key.pemRepresentation
            publicKey = key.publicKey.pemRepresentation
        }
        record = AppKeyRecord(
            keyIdentifier: identifier, bundleId: bundleId, kind: kind, createdAt: now,
            isAccounts: bundleId.isEmpty, publicKey: publicKey,
            digest: publicKey != nil ? nil : Hex.text(SHA256.hash(data: secret.utf8)))
    }

    /// Returns ten capital letters and digits, as the App Store's are. They have 50 random bits, so a duplicate is
    /// unlikely.
    private static func randomIdentifier() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        return String(randomBytes().prefix(10).map { alphabet[Int($0) % alphabet.count] })
    }

    private static func randomBytes() -> [UInt8] {
        SymmetricKey().bytes
    }
}

import StoreHTTP
import StoreModels

/// A key as it is stored and listed, without its secret:
///
/// ```json
/// {"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z"}
/// ```
struct KeyRecord: Hashable, Sendable, Encodable {
    private enum CodingKeys: String, CodingKey { case keyIdentifier, kind, createdAt }

    var keyIdentifier: String
    /// The app it belongs to; not encoded, because the caller's path names it.
    var bundleId: String
    var kind: KeyKind
    var createdAt: Timestamp
    /// PEM; only of a `subscriptionOffer`. Signatures are verified with it.
    var publicKey: String?
}

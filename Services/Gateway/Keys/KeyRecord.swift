import StoreModels

/// A key as it is kept and listed; its secret is nowhere.
///
/// ```json
/// {"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z"}
/// ```
struct KeyRecord: Hashable, Sendable, Encodable {
    private enum CodingKeys: String, CodingKey { case keyIdentifier, kind, createdAt }

    var keyIdentifier: String
    /// The app it belongs to; known to whoever asks.
    var bundleId: String
    var kind: KeyKind
    var createdAt: Timestamp
    /// PEM; of a `subscriptionOffer` only. Signatures are checked with it.
    var publicKey: String?
}

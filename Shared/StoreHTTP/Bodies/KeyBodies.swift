import StoreModels

/// The body of `POST /admin/v1/apps/{bundleId}/keys`: `{"kind":"api"}`.
package struct KeyRequest: Hashable, Sendable, Codable {
    /// What the new key is for; it cannot be changed later.
    package var kind: KeyKind

    package init(kind: KeyKind) { self.kind = kind }
}

/// The purpose of an app's key.
package enum KeyKind: String, CaseIterable, Hashable, Sendable, Codable {
    /// Authenticates the app's server at the gateway.
    case api
    /// The `password` of a receipt's verification.
    case sharedSecret
    /// Signs subscription offers on the app's server: an elliptic curve key on P-256.
    case subscriptionOffer
}

/// A key without its secret: `{"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z"}`.
package struct AppKey: Hashable, Sendable, Codable {
    package var keyIdentifier: String
    /// The name of a ``KeyKind``, or of one of a newer gateway.
    package var kind: String
    package var createdAt: Timestamp

    package init(keyIdentifier: String, kind: KeyKind, createdAt: Timestamp) {
        self.keyIdentifier = keyIdentifier
        self.kind = kind.rawValue
        self.createdAt = createdAt
    }
}

/// The response of `GET /admin/v1/apps/{bundleId}/keys`: `{"keys":[…]}`, oldest first.
package struct KeysResponse: Hashable, Sendable, Codable {
    package var keys: [AppKey]

    package init(keys: [AppKey]) { self.keys = keys }
}

/// The response of `POST /admin/v1/apps/{bundleId}/keys`, the only one with the secret:
///
/// ```json
/// {"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z","secret":"sbk_7K2M…"}
/// ```
package struct NewKeyResponse: Hashable, Sendable, Codable {
    package var keyIdentifier: String
    /// As ``AppKey/kind``.
    package var kind: String
    package var createdAt: Timestamp
    /// The text the app's server sends, or the private key as PEM.
    package var secret: String
    /// PEM; only of a `subscriptionOffer`.
    package var publicKey: String?

    package init(_ key: AppKey, secret: String, publicKey: String?) {
        keyIdentifier = key.keyIdentifier
        kind = key.kind
        createdAt = key.createdAt
        self.secret = secret
        self.publicKey = publicKey
    }
}

/// The response of `POST /verifyReceipt`, with Apple's member names: `{"status":21002}`.
///
/// The members of a valid receipt are as in Apple's "responseBody".
package struct VerifyReceiptResponse: Hashable, Sendable, Codable {
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    package init(status: Int) { json = .object(["status": .integer(status)]) }

    package init(from decoder: any Decoder) throws { json = try JSONValue(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// The response of `GET /v1/receipt`: `{"receiptData":"MIIT…"}`, Base64.
package struct ReceiptResponse: Hashable, Sendable, Codable {
    /// Base64 of the signed receipt, without line breaks.
    package var receiptData: String

    package init(receiptData: String) { self.receiptData = receiptData }
}

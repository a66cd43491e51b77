import StoreModels

/// The body of `POST /admin/v1/apps/{bundleId}/keys`: `{"kind":"api"}`, and of `POST /admin/v1/keys`, where the kind is
/// `inAppPurchase`.
package struct KeyRequest: Hashable, Sendable, Codable {
    /// The purpose of the new key. It cannot be changed later.
    package var kind: KeyKind
}

/// A key without its secret: `{"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z"}`.
package struct AppKey: Hashable, Sendable, Codable {
    /// Ten capital letters and digits, chosen by the gateway.
    package var keyIdentifier: String
    /// The purpose of the key.
    package var kind: String
    /// The time of creation by the wall clock.
    package var createdAt: Timestamp

    package init(keyIdentifier: String, kind: KeyKind, createdAt: Timestamp) {
        self.keyIdentifier = keyIdentifier
        self.kind = kind.rawValue
        self.createdAt = createdAt
    }
}

/// The response of `GET /admin/v1/apps/{bundleId}/keys` and `GET /admin/v1/keys`: `{"keys":[…]}`, oldest first.
package struct KeysResponse: Hashable, Sendable, Codable {
    /// The keys of the app, or of the account, oldest first.
    package var keys: [AppKey]
}

/// The response that has created a key, the only one with the secret:
///
/// ```json
/// {"keyIdentifier":"7K2MZQ4TXA","kind":"api","createdAt":"2026-11-21T10:00:00.000Z","secret":"sbk_7K2M…"}
/// ```
package struct NewKeyResponse: Hashable, Sendable, Codable {
    /// Ten capital letters and digits, chosen by the gateway.
    package var keyIdentifier: String
    /// The purpose of the key.
    package var kind: String
    /// The time of creation by the wall clock.
    package var createdAt: Timestamp
    /// The text the app's server sends, or the private key as PEM. It is shown in this response only.
    package var secret: String
    /// PEM of a `subscriptionOffer` or `inAppPurchase`. Absent for other kinds.
    package var publicKey: String?
    /// The `iss` of tokens, one for the store. Present only for an `inAppPurchase`.
    package var issuerId: String?
    /// The `bid` of tokens. Present only for an `inAppPurchase` of one app.
    package var bundleId: String?

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
    /// The whole body: an object with `status`.
    package var json: JSONValue

    package init(_ json: JSONValue) { self.json = json }

    /// Creates a response without a receipt.
    /// - Parameter status: One of Apple's codes, such as 21002.
    package init(status: Int) { json = .object(["status": .integer(status)]) }

    package init(from decoder: any Decoder) throws { json = try JSONValue(from: decoder) }

    package func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

/// The response of `GET /v1/receipt`: `{"receiptData":"MIIT…"}`, Base64.
package struct ReceiptResponse: Hashable, Sendable, Codable {
    /// Base64 of the signed receipt, without line breaks.
    package var receiptData: String
}

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

/// The response of `GET /v1/receipt`: `{"receiptData":"MIIT…"}`, Base64.
package struct ReceiptResponse: Hashable, Sendable, Codable {
    /// Base64 of the signed receipt, without line breaks.
    package var receiptData: String

    package init(receiptData: String) { self.receiptData = receiptData }
}

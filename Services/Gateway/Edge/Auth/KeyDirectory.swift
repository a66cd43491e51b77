import BusService
import Cryptography
import StoreModels

/// Looks up keys at AppStoreServer. It caches none, so a removed key opens nothing once its removal is confirmed.
package struct KeyDirectory: Sendable {
    let services: ServiceCaller

    /// Finds a key of any app and kind.
    /// - Throws: `serviceUnavailable` without AppStoreServer.
    package func key(_ keyIdentifier: String, _ context: CallContext) async throws(StoreError) -> AppKeyRecord? {
        try await services.call(
            AppKeyEndpoints.find, FindAppKeyRequest(keyIdentifier: keyIdentifier), context: context
        ).key
    }

    /// Finds the API key of a server, or nil for any other token.
    /// - Throws: As ``key(_:_:)``.
    func apiKey(_ token: String, _ context: CallContext) async throws(StoreError) -> AppKeyRecord? {
        guard let text = APIKeyText(token), let key = try await key(text.keyIdentifier, context), key.kind == .api,
            key.isDigest(of: token)
        else { return nil }
        return key
    }
}

extension AppKeyRecord {
    /// Whether it is the key with this secret. A secret has 256 random bits, and the time of comparing its digest with
    /// another one says nothing about it.
    fileprivate func isDigest(of secret: String) -> Bool {
        digest.isExactly(Hex.text(SHA256.hash(data: secret.utf8)))
    }
}

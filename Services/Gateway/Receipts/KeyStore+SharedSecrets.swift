import Crypto
import Foundation
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

extension KeyStore {
    /// Whether a password is valid for receipts of an app with subscriptions. It is one of the app's shared secrets, or
    /// the app has none. An app without a shared secret requires none (this store's rule; Apple makes every app have
    /// one).
    func accepts(sharedSecret password: String?, of bundleId: String) async throws -> Bool {
        let digests = try await sharedSecretDigests(of: bundleId)
        guard !digests.isEmpty else { return true }
        guard let password else { return false }
        let digest = SHA256.hash(data: Array(password.utf8))
        // Comparing digests takes the same time wherever they differ.
        return digests.reduce(false) { $0 || digest == $1 }
    }

    private func sharedSecretDigests(of bundleId: String) async throws -> [[UInt8]] {
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT digest FROM app_key WHERE bundle_id = ? AND kind = ? LIMIT ?", bundleId,
                    KeyKind.sharedSecret, Self.keysMax
                ).map { try $0["digest"] }
            }
        }
    }
}

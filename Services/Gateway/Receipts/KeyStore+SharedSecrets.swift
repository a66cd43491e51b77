import Crypto
import Foundation
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

extension KeyStore {
    /// Checks the password for receipts of an app with subscriptions. It must be one of the app's shared secrets. An
    /// app without a shared secret requires no password, but Apple requires one of every app.
    func accepts(sharedSecret password: String?, of bundleId: String) async throws -> Bool {
        let digests = try await sharedSecretDigests(of: bundleId)
        guard !digests.isEmpty else { return true }
        guard let password else { return false }
        let digest = SHA256.hash(data: Array(password.utf8))
        // The time of comparing digests says nothing about the secret.
        return digests.reduce(false) { $0 || digest == $1 }
    }

    private func sharedSecretDigests(of bundleId: String) async throws -> [[UInt8]] {
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT digest FROM app_key WHERE (bundle_id = ? OR bundle_id = ?) AND kind = ? LIMIT ?", bundleId,
                    IsolatedApp.shown(bundleId), KeyKind.sharedSecret, Self.keysMax
                ).map { try $0["digest"] }
            }
        }
    }
}

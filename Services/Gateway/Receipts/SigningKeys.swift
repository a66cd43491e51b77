import EventLoop
import Persistence
import Signing
import StoreModels

/// The store's certificates, in the gateway's own database. Gateways of one PostgreSQL use the same ones, and
/// signatures from before a restart stay valid.
final class SigningKeys: Sendable {
    /// The row's name; a second authority would have another.
    private static let name = "receipts"

    private let database: any SQLDatabase
    private let known = Locked<CertificateAuthority?>(nil)

    init(database: any SQLDatabase) {
        self.database = database
    }

    /// Returns the authority, creating it at the first call.
    /// - Throws: `serviceUnavailable` and `outcomeUnknown` for a database that is busy or lost; `internal` for an
    ///   invalid row.
    func authority() async throws -> CertificateAuthority {
        if let authority = known.withLock({ $0 }) { return authority }
        let stored: StoredAuthority
        do {
            if let found = try await read() {
                stored = found
            } else {
                try await offer(CertificateAuthority().stored(), at: .wallClock())
                // When several gateways start simultaneously, the first one's row is kept and all of them read it.
                guard let found = try await read() else {
                    throw StoreError(.internal, "the signing authority vanished while it was being made")
                }
                stored = found
            }
        } catch let error as PersistenceError {
            throw StoreError(answering: error)
        }
        let authority = try CertificateAuthority(stored)
        known.withLock { $0 = authority }
        return authority
    }

    private func read() async throws -> StoredAuthority? {
        try await database.read { reader in
            try await reader.queryOne("SELECT * FROM signing_authority WHERE name = ?", Self.name).map { row in
                StoredAuthority(
                    rootCertificate: try row["root_certificate"],
                    intermediateCertificate: try row["intermediate_certificate"],
                    leafCertificate: try row["leaf_certificate"], rootKey: try row["root_key"],
                    intermediateKey: try row["intermediate_key"], leafKey: try row["leaf_key"])
            }
        }
    }

    private func offer(_ new: StoredAuthority, at now: Timestamp) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute(
                """
                INSERT INTO signing_authority (name, root_certificate, intermediate_certificate, leaf_certificate,
                    root_key, intermediate_key, leaf_key, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, Self.name, new.rootCertificate, new.intermediateCertificate, new.leafCertificate, new.rootKey,
                new.intermediateKey, new.leafKey, now.milliseconds)
        }
    }
}

extension StoreError {
    /// Converts an error of the gateway's database for the caller.
    init(answering error: PersistenceError) {
        if error.code == .outcomeUnknown || error.code == .storageFailed {
            self.init(.outcomeUnknown, "the gateway's database was lost during a commit")
        } else if error.isRetryable || error.code == .closed {
            self.init(.serviceUnavailable, "the gateway's database is busy", retryAfterMs: 200)
        } else {
            self.init(.internal, error.message)
        }
    }
}

import EventLoop
import Logging
import Persistence
import ServiceDatabase
import Signing
import StoreModels

/// The store's certificates, in the gateway's own database. Gateways of one PostgreSQL use the same ones, and
/// signatures from before a restart stay valid.
final class SigningKeys: Sendable {
    /// The name of the authority's row.
    private static let name = "receipts"

    private let database: any SQLDatabase
    private let logger: Logger
    private let known = Locked<CertificateAuthority?>(nil)

    init(database: any SQLDatabase, logger: Logger = Logger(label: ServiceName.gateway.rawValue)) {
        self.database = database
        self.logger = logger
    }

    /// Returns the authority, creating it at the first call.
    /// - Throws: `serviceUnavailable` and `outcomeUnknown` for a database that is busy or lost; `internal` for an
    ///   invalid row.
    func authority() async throws -> CertificateAuthority {
        if let authority = known.withLock({ $0 }) { return authority }
        let stored = try await withStoreErrors(of: KeyStore.owner, logger: logger) {
            if let found = try await read() { return found }
            try await offer(CertificateAuthority().stored(), at: .wallClock())
            // When several gateways start together, the first one's row wins, and all of them read it.
            guard let found = try await read() else {
                throw StoreError(.internal, "the signing authority vanished while it was being made")
            }
            return found
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

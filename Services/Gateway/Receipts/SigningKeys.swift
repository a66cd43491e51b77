import EventLoop
import Logging
import Persistence
import ServiceDatabase
import Signing
import StoreHTTP
import StoreModels

/// The store's certificates, in the gateway's own database. Gateways of one PostgreSQL use the same ones, and
/// signatures from before a restart stay valid.
final class SigningKeys: Sendable {
    /// The rows of the authorities, by name.
    private enum Row: String {
        case receipts
        /// Signs transactions and what else Apple's server libraries verify, below the root of `receipts`.
        case appStore
    }

    /// What signs with the App Store's authority.
    struct AppStore: Sendable {
        let authority: CertificateAuthority
        let signer: JWSSigner
        /// Signs as Xcode does, with one certificate.
        let xcode: JWSSigner
        let responder: OCSPResponder

        fileprivate init(_ authority: CertificateAuthority) throws {
            self.authority = authority
            signer = try JWSSigner(authority)
            xcode = try JWSSigner.xcode(authority)
            responder = try OCSPResponder([authority])
        }
    }

    private let database: any SQLDatabase
    private let logger: Logger
    private let known = Locked<CertificateAuthority?>(nil)
    private let knownAppStore = Locked<AppStore?>(nil)
    /// The gateway's address as clients reach it.
    private let publicURL: Locked<String>

    /// - Parameter publicURL: The gateway's address as clients reach it, `http://127.0.0.1:7430`.
    init(
        database: any SQLDatabase, publicURL: String = "http://127.0.0.1:\(Gateway.defaultPort)",
        logger: Logger = Logger(label: ServiceName.gateway.rawValue)
    ) {
        self.database = database
        self.publicURL = Locked(publicURL)
        self.logger = logger
    }

    /// Sets the gateway's address, before the first signature of the App Store's authority.
    func setPublicURL(_ url: String) { publicURL.withLock { $0 = url } }

    /// Returns the receipts' authority, creating it at the first call.
    /// - Throws: `serviceUnavailable` and `outcomeUnknown` for a database that is busy or lost; `internal` for an
    ///   invalid row.
    func authority() async throws -> CertificateAuthority {
        if let authority = known.withLock({ $0 }) { return authority }
        let authority = try await stored(.receipts) { try CertificateAuthority() }
        known.withLock { $0 = authority }
        return authority
    }

    /// Returns what signs for the App Store, creating its authority at the first call.
    ///
    /// Its certificates name this gateway's OCSP responder. When that has moved, they are issued anew for the same keys.
    /// - Throws: As ``authority()``.
    func appStore() async throws -> AppStore {
        if let found = knownAppStore.withLock({ $0 }) { return found }
        let url = publicURL.withLock { $0 } + AppStoreServerRoutes.certificateStatus.route.path.description
        let root = try await authority()
        var authority = try await stored(.appStore) { try .appStore(root: root, ocspURL: url) }
        if !authority.ocspURL.isExactly(url) {
            authority = try authority.reissued(ocspURL: url)
            try await replace(.appStore, with: authority.stored())
        }
        let found = try AppStore(authority)
        knownAppStore.withLock { $0 = found }
        return found
    }

    private func stored(_ row: Row, else make: @escaping () throws -> CertificateAuthority) async throws
        -> CertificateAuthority
    {
        let stored = try await withStoreErrors(of: KeyStore.owner, logger: logger) {
            if let found = try await read(row) { return found }
            try await offer(try make().stored(), as: row, at: .wallClock())
            // When several gateways start together, the first one's row wins, and all of them read it.
            guard let found = try await read(row) else {
                throw StoreError(.internal, "the signing authority vanished while it was being made")
            }
            return found
        }
        return try CertificateAuthority(stored)
    }

    private func read(_ row: Row) async throws -> StoredAuthority? {
        try await database.read { reader in
            try await reader.queryOne("SELECT * FROM signing_authority WHERE name = ?", row.rawValue).map { row in
                StoredAuthority(
                    rootCertificate: try row["root_certificate"],
                    intermediateCertificate: try row["intermediate_certificate"],
                    leafCertificate: try row["leaf_certificate"], rootKey: try row["root_key"],
                    intermediateKey: try row["intermediate_key"], leafKey: try row["leaf_key"])
            }
        }
    }

    private func offer(_ new: StoredAuthority, as row: Row, at now: Timestamp) async throws {
        try await database.write { transaction in
            _ = try await transaction.execute(
                """
                INSERT INTO signing_authority (name, root_certificate, intermediate_certificate, leaf_certificate,
                    root_key, intermediate_key, leaf_key, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, row.rawValue, new.rootCertificate, new.intermediateCertificate, new.leafCertificate, new.rootKey,
                new.intermediateKey, new.leafKey, now.milliseconds)
        }
    }

    private func replace(_ row: Row, with new: StoredAuthority) async throws {
        try await withStoreErrors(of: KeyStore.owner, logger: logger) {
            try await database.write { transaction in
                _ = try await transaction.execute(
                    """
                    UPDATE signing_authority SET intermediate_certificate = ?, leaf_certificate = ? WHERE name = ?
                    """, new.intermediateCertificate, new.leafCertificate, row.rawValue)
            }
        }
    }
}

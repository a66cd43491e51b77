import Crypto
import Foundation
import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

/// The keys of all apps, in the gateway's own database. A deleted key is rejected from the moment its deletion is
/// acknowledged.
struct KeyStore: Sendable {
    /// Maximum number of keys of one app, and of the account. One more is 422.
    static let keysMax = 100
    /// The `bundle_id` of the account's keys, which serve each app of the installation. No app has it.
    static let account = ""
    /// Whose database it is, in errors.
    static let owner = "the gateway"

    let database: any SQLDatabase
    var logger = Logger(label: ServiceName.gateway.rawValue)

    /// - Throws: `requestInvalid` (422) at the bound.
    func add(_ key: NewKey) async throws {
        let record = key.record
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.write { transaction in
                let row = try await transaction.queryOne(
                    "SELECT COUNT(*) AS keys FROM app_key WHERE bundle_id = ?", record.bundleId)
                guard let count = try row?["keys"] as Int?, count < Self.keysMax else {
                    throw StoreError.invalid(
                        record.isAccounts ? "account" : "bundleId",
                        "has \(Self.keysMax) keys already; delete one first", status: 422)
                }
                try await Self.insert(key, in: transaction)
            }
        }
    }

    static func insert(_ key: NewKey, in transaction: SQLTransaction) async throws(PersistenceError) {
        let record = key.record
        try await transaction.execute(
            """
            INSERT INTO app_key (key_identifier, bundle_id, kind, created_at, digest, public_key)
            VALUES (?, ?, ?, ?, ?, ?)
            """, record.keyIdentifier, record.bundleId, record.kind, record.createdAt.milliseconds, key.digest,
            record.publicKey)
    }

    /// Lists the keys of an app, or of the ``account``, oldest first.
    func list(_ bundleId: String) async throws -> [KeyRecord] {
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT * FROM app_key WHERE bundle_id = ? ORDER BY created_at, key_identifier LIMIT ?", bundleId,
                    Self.keysMax
                ).map(KeyRecord.init)
            }
        }
    }

    /// - Returns: Whether the app, or the ``account``, had such a key.
    func remove(_ keyIdentifier: String, of bundleId: String) async throws -> Bool {
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.write { transaction in
                try await transaction.execute(
                    "DELETE FROM app_key WHERE key_identifier = ? AND bundle_id = ?", keyIdentifier, bundleId) > 0
            }
        }
    }

    /// Finds the API key of a server, or nil for any other token.
    func apiKey(_ token: String) async throws -> KeyRecord? {
        guard let text = APIKeyText(token) else { return nil }
        let row = try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.read { reader in
                try await reader.queryOne(
                    "SELECT * FROM app_key WHERE key_identifier = ? AND kind = ?", text.keyIdentifier, KeyKind.api)
            }
        }
        guard let row, let digest = try row["digest"] as [UInt8]? else { return nil }
        // Comparing digests takes the same time wherever they differ.
        return SHA256.hash(data: Array(token.utf8)) == digest ? try KeyRecord(row) : nil
    }

    /// Finds a key of any app and kind.
    func key(_ keyIdentifier: String) async throws -> KeyRecord? {
        try await withStoreErrors(of: Self.owner, logger: logger) {
            try await database.read { reader in
                try await reader.queryOne("SELECT * FROM app_key WHERE key_identifier = ?", keyIdentifier)
            }
        }.map(KeyRecord.init)
    }
}

extension KeyRecord {
    fileprivate init(_ row: SQLRow) throws(PersistenceError) {
        self.init(
            keyIdentifier: try row["key_identifier"], bundleId: try row["bundle_id"], kind: try row["kind"],
            createdAt: Timestamp(milliseconds: try row["created_at"]), publicKey: try row["public_key"])
    }
}

/// A key as it is stored, without its secret.
struct KeyRecord: Hashable, Sendable {
    var keyIdentifier: String
    /// The app it belongs to. For a key of the account it is ``KeyStore/account``, and then the app of the token.
    var bundleId: String
    var kind: KeyKind
    var createdAt: Timestamp
    /// PEM, only of keys that sign. Signatures are verified with it.
    var publicKey: String?

    /// Whether it serves each app of the installation.
    let isAccounts: Bool

    init(keyIdentifier: String, bundleId: String, kind: KeyKind, createdAt: Timestamp, publicKey: String?) {
        self.keyIdentifier = keyIdentifier
        self.bundleId = bundleId
        self.kind = kind
        self.createdAt = createdAt
        self.publicKey = publicKey
        isAccounts = bundleId.isEmpty
    }
}

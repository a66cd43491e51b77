import Cryptography
import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Handles `key.add`, `key.list`, `key.find`, `key.remove` and `key.removeAll`: the keys of apps and of the account.
struct KeyStore: Sendable {
    /// Maximum number of keys of one app, and of the account. One more is 422.
    static let keysMax = 100

    let database: any SQLDatabase
    /// The wall clock.
    var now: @Sendable () -> Timestamp = Timestamp.wallClock
    var logger = Logger(label: ServiceName.appStoreServer.rawValue)

    /// Registers its endpoints.
    func register(on handlers: DatabaseEndpoints) {
        handlers.handle(AppKeyEndpoints.add, add)
        handlers.handle(AppKeyEndpoints.list, list)
        handlers.handle(AppKeyEndpoints.find, find)
        handlers.handle(AppKeyEndpoints.remove, remove)
        handlers.handle(AppKeyEndpoints.removeAll, removeAll)
    }

    /// Makes a key.
    /// - Throws: As ``insert(_:in:)``.
    func add(_ request: AddAppKeyRequest) async throws -> NewAppKey {
        let key = NewKey(request.kind, bundleId: request.bundleId, now: now())
        try await database.write { try await Self.insert(key.record, in: $0) }
        return NewAppKey(key: key.record, secret: key.secret)
    }

    /// - Throws: `requestInvalid` (422) at the bound, or `notFound` for a removed isolated store.
    static func insert(_ record: AppKeyRecord, in transaction: SQLTransaction) async throws {
        try await ServerApps.hold(record.bundleId, in: transaction)
        let row = try await transaction.queryOne(
            "SELECT COUNT(*) AS keys FROM app_key WHERE bundle_id = ?", record.bundleId)
        guard let count = try row?["keys"] as Int?, count < keysMax else {
            throw StoreError.invalid(
                record.isAccounts ? "account" : "bundleId", "has \(keysMax) keys already; delete one first",
                status: 422)
        }
        try await transaction.execute(
            """
            INSERT INTO app_key (key_identifier, bundle_id, kind, created_at, digest, public_key)
            VALUES (?, ?, ?, ?, ?, ?)
            """, record.keyIdentifier, record.bundleId, record.kind, record.createdAt.milliseconds, record.digest,
            record.publicKey)
    }

    /// Lists the keys of an app, or of the account, oldest first.
    func list(_ request: AppRequest) async throws -> AppKeys {
        try await database.read { reader in
            AppKeys(
                keys: try await reader.query(
                    "SELECT * FROM app_key WHERE bundle_id = ? ORDER BY created_at, key_identifier LIMIT ?",
                    request.bundleId, Self.keysMax
                ).map(AppKeyRecord.init))
        }
    }

    func find(_ request: FindAppKeyRequest) async throws -> FoundAppKey {
        try await database.read { reader in
            FoundAppKey(key: try await Self.find(request.keyIdentifier, at: now(), in: reader))
        }
    }

    /// Finds a key of any app and kind. Those of an isolated store end with it, before they are removed.
    /// - Parameter now: The wall clock.
    static func find(_ keyIdentifier: String, at now: Timestamp, in reader: SQLReader) async throws -> AppKeyRecord? {
        try await reader.queryOne(
            """
            SELECT k.* FROM app_key k LEFT JOIN server_api_app a ON a.bundle_id = k.bundle_id
            WHERE k.key_identifier = ? AND (a.expires_at IS NULL OR a.expires_at > ?)
            """, keyIdentifier, now.milliseconds
        ).map(AppKeyRecord.init)
    }

    /// Removes a key.
    /// - Throws: `notFound`.
    func remove(_ request: AppKeyRequest) async throws -> Empty {
        let removed = try await database.write { transaction in
            try await transaction.execute(
                "DELETE FROM app_key WHERE key_identifier = ? AND bundle_id = ?", request.keyIdentifier,
                request.bundleId)
        }
        guard removed > 0 else { throw StoreError.notFound("key") }
        return Empty()
    }

    /// Removes the keys of an isolated store's app.
    /// - Throws: `requestInvalid` for an app of the installation.
    func removeAll(_ request: AppRequest) async throws -> Empty {
        try request.checkIsIsolated()
        try await database.write { try await Self.removeAll(of: request.bundleId, in: $0) }
        return Empty()
    }

    /// Checks the password for receipts of an app with subscriptions. It must be one of the app's shared secrets. An
    /// app without a shared secret requires no password, but Apple requires one of every app.
    func accepts(sharedSecret password: String?, of bundleId: String) async throws -> Bool {
        let digests = try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.read { reader in
                try await reader.query(
                    "SELECT digest FROM app_key WHERE (bundle_id = ? OR bundle_id = ?) AND kind = ? LIMIT ?", bundleId,
                    IsolatedApp.shown(bundleId), KeyKind.sharedSecret, Self.keysMax
                ).map { row -> String in try row["digest"] }
            }
        }
        guard !digests.isEmpty else { return true }
        guard let password else { return false }
        // The secret has 256 random bits. The time of comparing digests says nothing about it.
        let digest = Hex.text(SHA256.hash(data: password.utf8))
        return digests.contains { $0.isExactly(digest) }
    }

    static func removeAll(of bundleId: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("DELETE FROM app_key WHERE bundle_id = ?", bundleId)
    }
}

extension AppKeyRecord {
    fileprivate init(_ row: SQLRow) throws(PersistenceError) {
        let bundleId: String = try row["bundle_id"]
        self.init(
            keyIdentifier: try row["key_identifier"], bundleId: bundleId, kind: try row["kind"],
            createdAt: Timestamp(milliseconds: try row["created_at"]), isAccounts: bundleId.isEmpty,
            publicKey: try row["public_key"], digest: try row["digest"])
    }
}

extension KeyKind: SQLValueConvertible {}

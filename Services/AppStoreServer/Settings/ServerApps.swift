import FoundationEssentials
import Logging
import Persistence
import ServiceDatabase
import StoreHTTP
import StoreModels

/// The App Store Server API's settings, in the service's own database: the store's issuer, and apps' environments.
struct ServerApps: Sendable {
    /// The name of the issuer's row.
    private static let name = "store"

    let database: any SQLDatabase
    let logger: Logger

    /// Returns the `iss` of tokens, a UUID that is made at the first call.
    func issuerId() async throws -> String {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            if let found = try await database.read({ try await Self.issuerId(in: $0) }) { return found }
            return try await database.write { transaction in
                try await transaction.execute(
                    "INSERT INTO server_api_issuer (name, issuer_id) VALUES (?, ?) ON CONFLICT DO NOTHING", Self.name,
                    UUID().uuidString.lowercased())
                guard let found = try await Self.issuerId(in: transaction) else {
                    throw StoreError(.internal, "the issuer vanished while it was being made")
                }
                return found
            }
        }
    }

    /// Reads the `iss` of tokens. Nil before ``issuerId()`` has made one.
    static func issuerId(in reader: SQLReader) async throws -> String? {
        try await reader.queryOne("SELECT issuer_id FROM server_api_issuer WHERE name = ?", name)?["issuer_id"]
    }

    func settings(of bundleId: String) async throws -> ServerAPISettings {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.read { try await Self.settings(of: bundleId, in: $0) }
        }
    }

    /// Reads an app's settings. An app without any is in the sandbox.
    static func settings(of bundleId: String, in reader: SQLReader) async throws -> ServerAPISettings {
        let row = try await reader.queryOne("SELECT * FROM server_api_app WHERE bundle_id = ?", bundleId)
        guard let row else { return ServerAPISettings() }
        let limits: String? = try row["rate_limits"]
        return ServerAPISettings(
            environment: try row["environment"], appAppleId: try row["app_apple_id"],
            rateLimits: try limits.map { try StoredJSON.value(ServerAPIRateLimits.self, $0) })
    }

    /// Replaces an app's settings.
    func put(_ settings: ServerAPISettings, of bundleId: String) async throws {
        try await withStoreErrors(of: AppStoreServerSchema.owner, logger: logger) {
            try await database.write { try await Self.put(settings, of: bundleId, in: $0) }
        }
    }

    /// - Parameter expiresAt: When a new isolated store ends. Settings that replace others leave it.
    static func put(
        _ settings: ServerAPISettings, of bundleId: String, until expiresAt: Timestamp? = nil,
        in transaction: SQLTransaction
    ) async throws {
        try await transaction.execute(
            """
            INSERT INTO server_api_app (bundle_id, environment, app_apple_id, rate_limits, expires_at)
            VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (bundle_id) DO UPDATE
            SET environment = excluded.environment, app_apple_id = excluded.app_apple_id,
                rate_limits = excluded.rate_limits
            """, bundleId, settings.environment, settings.appAppleId,
            try settings.rateLimits.map(StoredJSON.text), expiresAt?.milliseconds)
    }

    /// Locks the row of an app, or of the account, until the commit. So replicas add to it one after another.
    ///
    /// It keeps an isolated store from being removed meanwhile.
    /// - Throws: `notFound` for a removed one. Settings that came later have no end.
    static func hold(_ bundleId: String, in transaction: SQLTransaction) async throws {
        guard IsolatedApp(bundleId) != nil else {
            // A new row says what an app without one has.
            try await transaction.execute(
                """
                INSERT INTO server_api_app (bundle_id, environment) VALUES (?, ?)
                ON CONFLICT (bundle_id) DO UPDATE SET bundle_id = excluded.bundle_id
                """, bundleId, ServerAPISettings().environment)
            return
        }
        let row = try await transaction.queryOne(
            """
            SELECT bundle_id FROM server_api_app WHERE bundle_id = ? AND expires_at IS NOT NULL
            \(transaction.dialect.lockRow)
            """, bundleId)
        guard row != nil else { throw StoreError.notFound("isolated store") }
    }

    /// Returns the app as signed payloads name it.
    func app(_ bundleId: String) async throws -> ServerApp {
        ServerApp(bundleId, try await settings(of: bundleId))
    }
}

extension ServerApp {
    /// Names the app as its settings say.
    init(_ bundleId: String, _ settings: ServerAPISettings) {
        self.init(
            bundleId: bundleId, environment: settings.environment,
            appAppleId: settings.environment == .production ? settings.appAppleId : nil)
    }
}

extension AppStoreEnvironment: SQLValueConvertible {}

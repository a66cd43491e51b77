import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the apps' endpoints.
enum EndpointRepository {
    static func find(_ bundleId: String, in reader: SQLReader) async throws -> NotificationEndpoint? {
        guard let row = try await reader.queryOne("SELECT body FROM endpoint WHERE bundle_id = ?", bundleId) else {
            return nil
        }
        return try StoredJSON.value(NotificationEndpoint.self, try row["body"])
    }

    /// Tells whether any app has an endpoint.
    static func hasAny(in reader: SQLReader) async throws(PersistenceError) -> Bool {
        try await reader.queryOne("SELECT 1 AS found FROM endpoint LIMIT 1") != nil
    }

    /// Reads and locks an app's endpoint until the commit. So replicas claim one after the other.
    static func lock(_ bundleId: String, in transaction: SQLTransaction) async throws -> NotificationEndpoint? {
        let row = try await transaction.queryOne(
            "SELECT body FROM endpoint WHERE bundle_id = ? \(transaction.dialect.lockRow)", bundleId)
        return try row.map { try StoredJSON.value(NotificationEndpoint.self, try $0["body"]) }
    }

    static func put(_ endpoint: NotificationEndpoint, of bundleId: String, in transaction: SQLTransaction) async throws
    {
        try await transaction.execute(
            """
            INSERT INTO endpoint (bundle_id, body) VALUES (?, ?)
            ON CONFLICT (bundle_id) DO UPDATE SET body = excluded.body
            """, bundleId, try StoredJSON.text(endpoint))
    }

    static func delete(_ bundleId: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute("DELETE FROM endpoint WHERE bundle_id = ?", bundleId)
    }
}

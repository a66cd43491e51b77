import Persistence
import StoreModels

/// Counts the purchases begun on each installation. Streams ask for pending intents when the number is new to them.
enum IntentHeadRepository {
    /// Counts a purchase.
    /// - Returns: The installation's new number.
    static func advance(
        _ installation: InstallationReference, in transaction: SQLTransaction
    ) async throws -> Int64 {
        let row = try await transaction.query(
            """
            INSERT INTO intent_head (bundle_id, device_id, seq) VALUES (?, ?, 1)
            ON CONFLICT (bundle_id, device_id) DO UPDATE SET seq = intent_head.seq + 1 RETURNING seq
            """, installation.bundleId, installation.deviceId
        ).first
        guard let row else { throw StoreError(.internal, "the installation's number was not written") }
        return try row["seq"]
    }

    /// Reads an installation's number. 0 before the first purchase.
    static func find(
        _ installation: InstallationReference, in reader: SQLReader
    ) async throws(PersistenceError) -> Int64 {
        let row = try await reader.queryOne(
            "SELECT seq FROM intent_head WHERE bundle_id = ? AND device_id = ?", installation.bundleId,
            installation.deviceId)
        guard let row else { return 0 }
        return try row["seq"]
    }

    /// Reads the numbers of many installations in one statement. Those without one are omitted.
    static func heads(
        _ installations: [InstallationReference], in reader: SQLReader
    ) async throws(PersistenceError) -> [InstallationReference: Int64] {
        guard !installations.isEmpty else { return [:] }
        let pairs = Array(repeating: "(?, ?)", count: installations.count).joined(separator: ", ")
        let rows = try await reader.query(
            "SELECT * FROM intent_head WHERE (bundle_id, device_id) IN (VALUES \(pairs))",
            arguments: installations.flatMap { [$0.bundleId, $0.deviceId] })
        var heads: [InstallationReference: Int64] = [:]
        for row in rows {
            heads[InstallationReference(bundleId: try row["bundle_id"], deviceId: try row["device_id"])] =
                try row["seq"]
        }
        return heads
    }
}

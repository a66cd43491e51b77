import Persistence
import StoreModels

/// Reads and writes the purchases whose authorized charges wait for capture.
enum CaptureRepository {
    /// Adds a purchase.
    /// - Parameter wall: The wall time of the write. Other processes find the row by it when its own has left it.
    static func insert(
        _ transactionID: String, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            "INSERT INTO capture (transaction_id, written_at) VALUES (?, ?)", transactionID, wall.milliseconds)
    }

    /// Finds purchases committed outside a period that ends now, by identifier.
    ///
    /// A purchase whose commit seems to be in the future was committed before the clock was set back. It is found as
    /// well, so that it does not wait until the clock has caught up.
    static func list(
        notWithin age: Duration, of wall: Timestamp, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT transaction_id FROM capture WHERE written_at <= ? OR written_at > ? ORDER BY transaction_id LIMIT ?
            """, (wall + (.zero - age)).milliseconds, wall.milliseconds, limit
        ).values(of: "transaction_id")
    }

    /// Counts purchases committed outside a period around now.
    static func count(
        notWithin age: Duration, of wall: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS uncaptured FROM capture WHERE written_at <= ? OR written_at > ?",
            (wall + (.zero - age)).milliseconds, (wall + age).milliseconds)
        return try row?["uncaptured"] ?? 0
    }

    /// Removes purchases whose charges are captured.
    static func remove(_ transactionIDs: [String], in transaction: SQLTransaction) async throws(PersistenceError) {
        let (placeholders, values) = SQLList.padded(transactionIDs)
        try await transaction.send(
            "DELETE FROM capture WHERE transaction_id IN (\(placeholders))", arguments: values)
    }
}

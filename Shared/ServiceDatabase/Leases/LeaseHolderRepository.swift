import Persistence
import StoreModels

/// A process that may hold leases.
struct LeaseHolder: Hashable, Sendable {
    /// As ``VersionLease/holderLength`` has it.
    let name: String
    /// The recall that the process has not acknowledged. Nil for a process that answers.
    var mark: String?
}

/// Stores the processes that may hold leases.
///
/// A process is removed by the second recall that it does not acknowledge. By then the leases that it had at the first
/// are over, and a lease granted since has removed the mark.
package enum LeaseHolderRepository {
    /// Maximum number of stored processes. More get versions without a lease.
    static let holdersMax = 1_000

    /// The table, which a service with leases has in its schema.
    package static let table = """
        CREATE TABLE lease_holder (
            name TEXT PRIMARY KEY,
            mark TEXT
        );
        """

    /// Whether a process is stored without a mark.
    static func isStored(_ name: String, in reader: SQLReader) async throws -> Bool {
        try await reader.queryOne("SELECT name FROM lease_holder WHERE name = ? AND mark IS NULL", name) != nil
    }

    /// Stores a process, or removes its mark.
    /// - Returns: False at the bound.
    static func store(_ name: String, in transaction: SQLTransaction) async throws -> Bool {
        let row = try await transaction.queryOne(
            """
            INSERT INTO lease_holder (name) SELECT CAST(? AS TEXT)
            WHERE (SELECT COUNT(*) FROM lease_holder WHERE name <> ?) < ?
            ON CONFLICT (name) DO UPDATE SET mark = NULL RETURNING name
            """, name, name, holdersMax)
        return row != nil
    }

    static func all(in reader: SQLReader) async throws -> [LeaseHolder] {
        try await reader.query("SELECT name, mark FROM lease_holder ORDER BY name").map { row in
            LeaseHolder(name: try row["name"], mark: try row["mark"])
        }
    }

    /// Marks a process that was silent for the first time, and removes one that still has its mark.
    static func note(_ silent: LeaseHolder, in recall: String, _ transaction: SQLTransaction) async throws {
        if let mark = silent.mark {
            try await transaction.execute("DELETE FROM lease_holder WHERE name = ? AND mark = ?", silent.name, mark)
        } else {
            try await transaction.execute(
                "UPDATE lease_holder SET mark = ? WHERE name = ? AND mark IS NULL", recall, silent.name)
        }
    }
}

import BusService
import Persistence

/// Reads and writes the identity of a database and its store. Every database has the table.
enum StoreIdentityTable {
    /// Returns the database's identity, after naming an unnamed database.
    /// - Throws: ``PersistenceError``.
    static func load(_ database: any SQLDatabase) async throws -> StoreIdentity {
        if let identity = try await database.read({ try await read($0) }) { return identity }
        let name = RandomIdentifier.hex(digits: 24)
        return try await database.write { transaction in
            // A replica may have been first.
            try await transaction.execute(
                "INSERT INTO store_identity (only_row, database_id) VALUES (1, ?) ON CONFLICT DO NOTHING", name)
            return try await row(of: transaction)
        }
    }

    /// Writes the store's identity unless the database has one.
    /// - Returns: The identity that is in the database now.
    /// - Throws: ``PersistenceError``.
    static func keep(_ store: String, in database: any SQLDatabase) async throws -> String {
        try await database.write { transaction in
            try await transaction.execute("UPDATE store_identity SET store_id = ? WHERE store_id IS NULL", store)
            return try await row(of: transaction).store ?? store
        }
    }

    private static func read(_ reader: SQLReader) async throws(PersistenceError) -> StoreIdentity? {
        guard let row = try await reader.queryOne("SELECT database_id, store_id FROM store_identity") else {
            return nil
        }
        return StoreIdentity(database: try row["database_id"], store: try row["store_id"])
    }

    private static func row(of reader: SQLReader) async throws(PersistenceError) -> StoreIdentity {
        guard let identity = try await read(reader) else {
            throw PersistenceError(.statement, "store_identity has no row")
        }
        return identity
    }
}

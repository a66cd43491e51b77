/// Changes the schema of a file where it is, as SQLite's documentation of ALTER TABLE describes for constraints. No row
/// is read or written.
enum SQLiteSchema {
    /// Rewrites the text of the tables that `change` changes. A second call changes nothing.
    /// - Throws: ``PersistenceError``; the schema is as it was then.
    static func rewrite(
        _ connection: SQLiteConnection, _ change: (_ sql: String) -> String
    ) throws(PersistenceError) {
        let tables = try connection.run(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
        var changed: [(name: String, sql: String)] = []
        for row in tables.rows {
            let (name, sql): (String, String) = (try row["name"], try row["sql"])
            let rewritten = change(sql)
            if rewritten != sql { changed.append((name, rewritten)) }
        }
        guard !changed.isEmpty else { return }
        do throws(PersistenceError) {
            try connection.script("BEGIN IMMEDIATE")
            try write(changed, connection)
            try connection.script("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.script("ROLLBACK") }
            try? connection.script("PRAGMA writable_schema = RESET")
            throw error
        }
    }

    private static func write(
        _ tables: [(name: String, sql: String)], _ connection: SQLiteConnection
    ) throws(PersistenceError) {
        try connection.script("PRAGMA writable_schema = ON")
        for table in tables {
            _ = try connection.run(
                "UPDATE sqlite_schema SET sql = ? WHERE type = 'table' AND name = ?",
                [.text(table.sql), .text(table.name)])
        }
        guard case .integer(let version)? = try connection.value("PRAGMA schema_version") else {
            throw PersistenceError(.statement, "\(connection.path): the schema has no version")
        }
        // Other connections read the schema again when its version has changed; this one does at the RESET.
        try connection.script("PRAGMA schema_version = \(version + 1)")
        try connection.script("PRAGMA writable_schema = RESET")
        // Fails when SQLite cannot read what was written.
        for table in tables { _ = try connection.run("SELECT 1 FROM \(table.name) LIMIT 0") }
    }
}

/// Spells the lists of CHECK constraints out.
///
/// For a list of three or more values SQLite makes a table of its own each time a statement checks the constraint: an
/// INSERT with `CHECK (state IN ('a', 'b', 'c', 'd', 'e'))` takes four times as long as one with
/// `CHECK ((state = 'a' OR state = 'b' OR …))`, which admits the same values (ADR 0046). Migrations are written with
/// lists, and files of earlier versions have them, so the schema is changed where it is, as SQLite's documentation of
/// ALTER TABLE describes for constraints. No row is read or written. Conditions of indexes stay, because queries are
/// compared with them.
enum SQLiteChecks {
    /// Rewrites the tables that have lists. A second call changes nothing.
    /// - Throws: ``PersistenceError``; the schema is as it was then.
    static func spellOut(_ connection: SQLiteConnection) throws(PersistenceError) {
        let tables = try connection.run(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '% IN (%'")
        var changed: [(name: String, sql: String)] = []
        for row in tables.rows {
            let (name, sql): (String, String) = (try row["name"], try row["sql"])
            let spelled = spellOut(sql)
            if spelled != sql { changed.append((name, spelled)) }
        }
        guard !changed.isEmpty else { return }
        do throws(PersistenceError) {
            try connection.script("BEGIN IMMEDIATE")
            try rewrite(changed, connection)
            try connection.script("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.script("ROLLBACK") }
            try? connection.script("PRAGMA writable_schema = RESET")
            throw error
        }
    }

    private static func rewrite(
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

    /// Replaces each list of three or more words in a table's SQL.
    static func spellOut(_ sql: String) -> String {
        sql.replacing(/([a-z_]+) IN \(\s*('[A-Za-z]+'(?:,\s*'[A-Za-z]+'){2,})\s*\)/) { match in
            let equations = match.2.split(separator: ",").map { value in
                "\(match.1) = \(value.drop(while: \.isWhitespace))"
            }
            return "(\(equations.joined(separator: " OR ")))"
        }
    }
}

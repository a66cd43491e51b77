internal import GRDB

/// Brings a database to the program's schema, one transaction a step, and refuses one it does not know.
struct Migrator {
    let migrations: [Migration]
    let path: String

    init(_ migrations: [Migration], path: String) {
        precondition(
            migrations.map(\.number) == Array(1..<(migrations.count + 1)),
            "migrations are numbered 1, 2, 3 without gaps")
        self.migrations = migrations
        self.path = path
    }

    /// - Returns: the numbers of the steps that were applied now.
    /// - Throws: `schemaMismatch` for a newer or a different history.
    func run(_ database: Database) throws -> [Int] {
        try database.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS schema_migration (
                    number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL)
                """)
        let applied = try Row.fetchAll(
            database, sql: "SELECT number, name, fingerprint FROM schema_migration ORDER BY number")
        try check(applied.map { ($0["number"], $0["name"], $0["fingerprint"]) })
        return try migrations.dropFirst(applied.count).map { migration in
            try database.inTransaction(.immediate) {
                try database.execute(sql: migration.sql)
                try database.execute(
                    sql: "INSERT INTO schema_migration (number, name, fingerprint) VALUES (?, ?, ?)",
                    arguments: [migration.number, migration.name, migration.fingerprint])
                return .commit
            }
            return migration.number
        }
    }

    private func check(_ applied: [(number: Int, name: String, fingerprint: String)]) throws(PersistenceError) {
        if let last = applied.last, last.number > migrations.count {
            throw PersistenceError(
                .schemaMismatch,
                """
                \(path) was written by a newer version (schema \(last.number), this program knows \(migrations.count)); \
                use that version, or another data directory
                """)
        }
        for (step, migration) in zip(applied, migrations)
        where step.number != migration.number || step.fingerprint != migration.fingerprint {
            throw PersistenceError(
                .schemaMismatch,
                """
                \(path) has another step \(step.number) ('\(step.name)') than this program ('\(migration.name)'); \
                use the version that wrote it
                """)
        }
    }
}

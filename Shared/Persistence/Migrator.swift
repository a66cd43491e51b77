/// Brings a database to the program's schema, one transaction a step. Refuses a database with another history.
struct Migrator {
    static let table = """
        CREATE TABLE IF NOT EXISTS schema_migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL)
        """
    /// The other tables of every database: the row that identifies the database and its store, and the ends of its
    /// logs. The store is added once it is known.
    static let tables = """
        CREATE TABLE IF NOT EXISTS store_identity (
            only_row INTEGER PRIMARY KEY CHECK (only_row = 1), database_id TEXT NOT NULL, store_id TEXT);
        \(LogNumbers.removed)
        """
    static let applied =
        "SELECT CAST(m.number AS TEXT) AS number, name, fingerprint FROM schema_migration AS m ORDER BY m.number"
    static let insert = "INSERT INTO schema_migration (number, name, fingerprint) VALUES (?, ?, ?)"

    let migrations: [Migration]
    let path: String
    let dialect: SQLDialect

    init(_ migrations: [Migration], path: String, dialect: SQLDialect = .sqlite) {
        precondition(
            migrations.map(\.number) == Array(1..<(migrations.count + 1)),
            "migrations are numbered 1, 2, 3 without gaps")
        self.migrations = migrations
        self.path = path
        self.dialect = dialect
    }

    /// Applies the missing steps.
    ///
    /// - Returns: The numbers of the steps that were applied now.
    /// - Throws: `schemaMismatch` for a newer or a different history.
    func run(_ connection: SQLiteConnection) throws(PersistenceError) -> [Int] {
        try connection.script(Self.table)
        let missing = try missing(behind: try connection.run(Self.applied).rows)
        try connection.script(Self.tables)
        for migration in missing {
            try connection.transaction { () throws(PersistenceError) in
                try connection.script(migration.sql(.sqlite))
                _ = try connection.run(Self.insert, migration.row)
            }
        }
        return missing.map(\.number)
    }

    /// The steps a database with these rows of `schema_migration` lacks.
    /// - Throws: `schemaMismatch`.
    func missing(behind rows: [SQLRow]) throws(PersistenceError) -> ArraySlice<Migration> {
        var applied: [(number: Int, name: String, fingerprint: String)] = []
        for row in rows {
            let number: String = try row["number"]
            applied.append((Int(number) ?? 0, try row["name"], try row["fingerprint"]))
        }
        try check(applied)
        return migrations.dropFirst(applied.count)
    }

    private func check(_ applied: [(number: Int, name: String, fingerprint: String)]) throws(PersistenceError) {
        for (step, migration) in zip(applied, migrations)
        where step.number != migration.number || step.fingerprint != migration.fingerprint(dialect) {
            throw PersistenceError(
                .schemaMismatch,
                """
                \(path) has the schema of another build: its step \(step.number) is '\(step.name)', this program's is \
                another '\(migration.name)', and no version converts it; \(remedy)
                """)
        }
        if let last = applied.last, last.number > migrations.count {
            throw PersistenceError(
                .schemaMismatch,
                """
                \(path) was written by a newer version (schema \(last.number), this program knows \
                \(migrations.count)); use that version, or another data directory
                """)
        }
    }

    private var remedy: String {
        dialect.words(
            sqlite: "remove its data directory, or begin in another one (storebus up --data DIRECTORY)",
            postgres: "drop the schema, or name another database in DATABASE_URL")
    }
}

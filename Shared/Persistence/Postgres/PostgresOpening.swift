/// Makes a new connection ready: its settings and its pipeline. The first one of a process also brings the
/// schema up to date.
struct PostgresOpening: Sendable {
    let schema: String
    let migrations: [Migration]
    let synchronous: DatabaseSynchronous
    let idleTime: Duration
    let address: String

    /// Makes a process's first connection ready and applies the missing steps.
    ///
    /// - Throws: `notDurable`, `cannotOpen`, `schemaMismatch`, or a ``PersistenceError`` by the server's answer.
    /// - Returns: The numbers of the steps that were applied now.
    func migrate(_ connection: PostgresConnection) async throws(PersistenceError) -> [Int] {
        let facts = try await prepare(connection)
        try PostgresSettings.check(facts, synchronous, address: address)
        _ = try await connection.script(
            """
            BEGIN; SET LOCAL lock_timeout = 60000; SET LOCAL statement_timeout = 60000;
            SET LOCAL idle_in_transaction_session_timeout = 60000
            """)
        do throws(PersistenceError) {
            let applied = try await applyMissing(connection)
            _ = try await connection.script("COMMIT")
            return applied
        } catch {
            _ = try? await connection.script("ROLLBACK")
            throw error
        }
    }

    /// Applies the missing steps under a lock of the schema. If several processes start simultaneously, one migrates.
    /// The others wait for it and find no missing steps.
    private func applyMissing(_ connection: PostgresConnection) async throws(PersistenceError) -> [Int] {
        _ = try await connection.script(
            "SELECT pg_advisory_xact_lock(\(PostgresLock.migration), hashtext('\(schema)'))")
        _ = try await connection.script("CREATE SCHEMA IF NOT EXISTS \(schema)")
        _ = try await connection.script(SchemaSyntax.postgres(Migrator.table))
        let migrator = Migrator(migrations, path: "\(address), schema \(schema)", dialect: .postgres)
        let rows = try await connection.script(Migrator.applied).rows
        let missing = try migrator.missing(behind: rows)
        _ = try await connection.script(SchemaSyntax.postgres(Migrator.tables))
        _ = try await connection.script(LogNumbers.originTable)
        for migration in missing {
            _ = try await connection.script(migration.sql(.postgres))
            let name = migration.name.replacing("'", with: "''")
            _ = try await connection.script(
                """
                INSERT INTO schema_migration (number, name, fingerprint)
                VALUES (\(migration.number), '\(name)', '\(migration.fingerprint(.postgres))')
                """)
        }
        _ = try await connection.script(LogNumbers.raisePostgres)
        return missing.map(\.number)
    }

    /// Takes the origin of the logs and begins the pipeline.
    func finish(_ connection: PostgresConnection) async throws(PersistenceError) {
        try await takeOrigin(connection)
        await connection.beginPipeline()
    }

    private func takeOrigin(_ connection: PostgresConnection) async throws(PersistenceError) {
        guard try await connection.script(LogNumbers.takeOrigin).rows.isEmpty else { return }
        _ = try await connection.script(LogNumbers.raiseOrigin)
        guard try await !connection.script(LogNumbers.takeOrigin).rows.isEmpty else {
            throw PersistenceError(.unavailable, "\(address) was started again meanwhile")
        }
    }

    /// Makes the connection's settings and reads the server's.
    ///
    /// - Returns: One row of the server's settings.
    func prepare(_ connection: PostgresConnection) async throws(PersistenceError) -> SQLRow {
        _ = try await connection.script(PostgresSettings.session(schema: schema, synchronous, idleTime))
        guard let facts = try await connection.script(PostgresSettings.facts).rows.first else {
            throw PersistenceError(.cannotOpen, "\(address) says nothing of its settings")
        }
        return facts
    }
}

/// Numbers of advisory locks, which no schema separates.
enum PostgresLock {
    /// Held with a schema's hash while the schema is brought up to date.
    static let migration = 7_420_001
}

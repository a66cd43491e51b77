internal import GRDB

/// Runs the writes that wait as one transaction: one BEGIN IMMEDIATE, a SAVEPOINT for each, one COMMIT and with it one
/// flush to the disk.
struct GroupCommit {
    let connection: DatabaseQueue
    let path: String

    /// - Returns: nil after the commit; else why the whole group failed. Nothing of it is in the database then.
    func run(_ jobs: [any DatabaseJob<SQLTransaction>]) -> PersistenceError? {
        connection.writeWithoutTransaction { database in
            do {
                try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
                let transaction = SQLTransaction(database, path: path)
                for job in jobs { try perform(job, transaction) }
                try database.cachedStatement(sql: "COMMIT").execute()
                return nil
            } catch {
                // After some failures (a full disk, an I/O error) SQLite has rolled back by itself.
                if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
                return PersistenceError(error, path: path)
            }
        }
    }

    /// A body that throws loses its own savepoint only.
    /// - Throws: what took the whole transaction away.
    private func perform(_ job: any DatabaseJob<SQLTransaction>, _ transaction: SQLTransaction) throws {
        let database = transaction.database
        try database.cachedStatement(sql: "SAVEPOINT request").execute()
        let thrown = job.perform(transaction)
        guard database.isInsideTransaction else {
            throw thrown ?? PersistenceError(.storageFailed, "\(path): the transaction was rolled back by the engine")
        }
        if thrown != nil { try database.cachedStatement(sql: "ROLLBACK TO request").execute() }
        try database.cachedStatement(sql: "RELEASE request").execute()
    }
}

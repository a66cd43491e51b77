internal import GRDB

/// Runs one read inside a transaction, so that all its statements see the same commit.
struct SnapshotRead {
    let connection: DatabaseQueue
    let path: String

    /// - Returns: why the snapshot could not be taken; what the body threw is the body's own result.
    func run(_ job: any DatabaseJob<SQLReader>) -> PersistenceError? {
        connection.writeWithoutTransaction { database in
            do {
                try database.cachedStatement(sql: "BEGIN DEFERRED").execute()
                defer { if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") } }
                _ = job.perform(SQLReader(database, path: path))
                return nil
            } catch {
                return PersistenceError(error, path: path)
            }
        }
    }
}

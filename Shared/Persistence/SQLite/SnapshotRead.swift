/// Runs one read inside a transaction, so that all its statements see the same commit.
struct SnapshotRead {
    private let connection: SQLiteConnection
    private let session: SQLiteSession
    private let reader: SQLReader

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        session = SQLiteSession(connection)
        reader = SQLReader(session)
    }

    /// Runs a read.
    ///
    /// - Returns: The failure to take the snapshot. An error of the body is the body's own result.
    func run(_ job: any DatabaseJob<SQLReader>) async -> PersistenceError? {
        do throws(PersistenceError) {
            _ = try connection.run("BEGIN DEFERRED")
        } catch {
            return error
        }
        session.begin()
        _ = await job.perform(reader)
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        return nil
    }
}

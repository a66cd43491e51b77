internal import PlantedBugs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs the waiting writes as one transaction: BEGIN IMMEDIATE, the bodies in turn, one COMMIT. So a group costs one
/// flush to the disk.
///
/// A body that throws takes back its own changes only. A savepoint for each body would do that, but SQLite copies every
/// page that is written after one. So a group runs without savepoints first. If a body that has written throws, the
/// group is rolled back and runs again with them.
struct GroupCommit {
    private let connection: SQLiteConnection
    private let session: SQLiteSession
    private let transaction: SQLTransaction

    init(_ connection: SQLiteConnection) {
        self.connection = connection
        session = SQLiteSession(connection)
        transaction = SQLTransaction(session)
    }

    /// Runs and commits a group.
    ///
    /// - Returns: Nil after the commit, or the failure of the whole group. The database then has no change of the
    ///   group.
    func run(_ jobs: [any DatabaseJob<SQLTransaction>]) async -> PersistenceError? {
        do throws(PersistenceError) {
            _ = try connection.run("BEGIN IMMEDIATE")
            if try await !isPerformed(jobs) {
                _ = try connection.run("ROLLBACK")
                _ = try connection.run("BEGIN IMMEDIATE")
                for job in jobs { try await performInSavepoint(job) }
            }
            if acknowledgesEarly { acknowledge(jobs) }
            _ = try connection.run("COMMIT")
            return nil
        } catch {
            // After some failures (a full disk, an I/O error) SQLite has rolled back by itself.
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            return error
        }
    }

    /// Runs the bodies without savepoints, until one that has written throws.
    /// - Returns: False if one did. Its writes are still there.
    /// - Throws: The error that rolled back the whole transaction.
    private func isPerformed(_ jobs: [any DatabaseJob<SQLTransaction>]) async throws(PersistenceError) -> Bool {
        for job in jobs {
            let thrown = try await perform(job)
            if thrown != nil, session.hasWritten { return false }
        }
        return true
    }

    /// Runs one body in a savepoint. A body that throws loses its own savepoint only.
    /// - Throws: The error that rolled back the whole transaction.
    private func performInSavepoint(_ job: any DatabaseJob<SQLTransaction>) async throws(PersistenceError) {
        _ = try connection.run("SAVEPOINT request")
        if try await perform(job) != nil { _ = try connection.run("ROLLBACK TO request") }
        _ = try connection.run("RELEASE request")
    }

    /// Runs one body.
    /// - Returns: The error that it threw.
    /// - Throws: The error that rolled back the whole transaction.
    private func perform(_ job: any DatabaseJob<SQLTransaction>) async throws(PersistenceError) -> (any Error)? {
        session.begin()
        let thrown = await job.perform(transaction)
        guard connection.isInTransaction else {
            throw thrown as? PersistenceError
                ?? PersistenceError(
                    .storageFailed, "\(connection.path): the transaction was rolled back by the engine")
        }
        return thrown
    }
}

extension GroupCommit {
    /// Whether results are handed out before the commit (``PlantedBug/acknowledgeBeforeCommit``).
    ///
    /// Only the payment queue's: a gateway that reads back its own writes would not even start.
    var acknowledgesEarly: Bool {
        PlantedBug.isActive(.acknowledgeBeforeCommit) && connection.path.hasSuffix("payment-queue.sqlite")
    }

    /// Hands out the results of a group that is not committed, and lets the disk take its time.
    private func acknowledge(_ jobs: [any DatabaseJob<SQLTransaction>]) {
        for job in jobs { job.deliver(failure: nil) }
        usleep(50_000)
    }
}

import Logging
import Persistence

/// Waits at a service's start for a database server that is away.
///
/// After ``timeout`` the process ends as one that may be started again (exit 69), so that a supervisor's log shows it.
struct DatabaseConnectRetry {
    static let timeout: Duration = .seconds(30)

    let logger: Logger

    /// Opens until it succeeds, with ``RetrySchedule``'s delays between the attempts.
    /// - Throws: The first error that is not `unavailable`, or `unavailable` when the delays add up to ``timeout``.
    func open<Database>(
        _ attempt: () async throws(PersistenceError) -> Database, pausing: (Duration) async -> Void
    ) async throws(PersistenceError) -> Database {
        var attempts = 0
        var waited = Duration.zero
        while true {
            do throws(PersistenceError) {
                return try await attempt()
            } catch {
                guard error.code == .unavailable, waited < Self.timeout else { throw error }
                attempts += 1
                if attempts == 1 { logger.warning("waiting for the database", metadata: ["error": "\(error)"]) }
                let delay = RetrySchedule.delay(afterAttempts: attempts)
                await pausing(delay)
                waited += delay
            }
        }
    }
}

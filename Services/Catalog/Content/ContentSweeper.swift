import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Drops abandoned uploads, and deletes the bytes of dropped packages. It works in small steps, so that no request
/// waits for the deletion of a large package. The next process continues an unfinished deletion.
package struct ContentSweeper: ServiceLifecycle.Service {
    /// The time between two sweeps, on the monotonic clock.
    static let interval: Duration = .seconds(60)

    let contents: ContentRepository
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// Sweeps until graceful shutdown.
    package func run() async throws {
        await BackgroundJob.run([
            .repeating("content sweep", every: Self.interval, contents.database.commits, logger) {
                try await sweep()
                return .interval
            }
        ])
    }

    /// Runs one complete sweep.
    package func sweep() async throws {
        try await contents.forgetExpired(now: now())
        while !Task.isCancelled, try await contents.deleteSome() {}
    }
}

import Logging
import ServiceLifecycle
import StoreModels

/// Forgets uploads that were left alone, and deletes the bytes of what was forgotten, refused or replaced: a little at a
/// time, so that nobody waits for a large package to go. What a process does not finish, the next one does.
package struct ContentSweeper: ServiceLifecycle.Service {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .seconds(60)

    let contents: ContentRepository
    let now: @Sendable () -> Timestamp
    let logger: Logger

    /// Sweeps until graceful shutdown.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await sweep()
                } catch {
                    logger.warning("content not swept, it will be tried again", metadata: ["error": "\(error)"])
                }
                // Ends early only with the process.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// One sweep, to its end.
    package func sweep() async throws {
        try await contents.forget(before: ContentLimits.expiry(now()))
        while !Task.isCancelled, try await contents.deleteSome() {}
    }
}

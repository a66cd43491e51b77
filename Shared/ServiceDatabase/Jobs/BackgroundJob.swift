import Logging
import ServiceLifecycle

/// What a service does beside its requests, without anybody asking.
///
/// ```swift
/// await BackgroundJob.run([
///     .repeating("janitor", every: .milliseconds(500), logger) { try await janitor.sweep() },
///     BackgroundJob { await callbacks.run() },
/// ])
/// await database.close()
/// ```
package struct BackgroundJob: Sendable {
    private let body: @Sendable () async -> Void

    /// - Parameter body: returns when its task is cancelled.
    package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    /// Does `work` at once and then again and again. A round that fails is told of and not the end: the next may work.
    /// - Parameters:
    ///   - name: what it is called in the log.
    ///   - interval: between two rounds; monotonic.
    ///   - work: one round; says how much it has done.
    package static func repeating(
        _ name: String, every interval: Duration, _ logger: Logger,
        _ work: @escaping @Sendable () async throws -> Int
    ) -> BackgroundJob {
        BackgroundJob {
            while !Task.isCancelled {
                do {
                    _ = try await work()
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning("\(name) failed, it will run again", metadata: ["error": "\(error)"])
                }
                // Ends early only with the process.
                try? await Task.sleep(for: interval)
            }
        }
    }

    /// Does all of them side by side until graceful shutdown, and returns when they have ended. In a service group whoever
    /// calls it stands before the bus service, so that it ends after the last request.
    package static func run(_ jobs: [BackgroundJob]) async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for job in jobs { group.addTask { await job.body() } }
            }
        }
    }
}

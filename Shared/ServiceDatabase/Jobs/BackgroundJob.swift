import Logging
import ServiceLifecycle

/// Work that a service does without a request.
///
/// ```swift
/// await BackgroundJob.run([
///     .repeating("purchase sweep", every: .milliseconds(500), logger) { try await purchases.sweep() },
///     BackgroundJob { await callbacks.run() },
/// ])
/// await database.close()
/// ```
package struct BackgroundJob: Sendable {
    private let body: @Sendable () async -> Void

    /// - Parameter body: Returns when its task is cancelled.
    package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    /// Runs `work` immediately and then after every interval. A round that fails is logged and does not end the job:
    /// the next may work.
    /// - Parameters:
    ///   - name: The job's name in the log.
    ///   - interval: The monotonic time between two rounds.
    ///   - work: One round; returns how much it has done.
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

    /// Runs all jobs concurrently until graceful shutdown, and returns when they have ended. In a service group the
    /// caller precedes the bus service, so that the jobs end after the last request.
    package static func run(_ jobs: [BackgroundJob]) async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                for job in jobs { group.addTask { await job.body() } }
            }
        }
    }
}

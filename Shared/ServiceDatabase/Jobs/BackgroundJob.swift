import Logging
import Persistence
import ServiceLifecycle

/// Work that a service does without a request.
///
/// ```swift
/// await BackgroundJob.run([
///     .repeating("purchase sweep", every: .milliseconds(500), database.commits, logger) {
///         .after(left: try await purchases.sweep())
///     },
///     BackgroundJob { await callbacks.run() },
/// ])
/// await database.close()
/// ```
package struct BackgroundJob: Sendable {
    private let body: @Sendable () async -> Void

    /// - Parameter body: Returns when its task is cancelled.
    package init(_ body: @escaping @Sendable () async -> Void) { self.body = body }

    /// When a job's next round may have something to do.
    package enum Rest: Hashable, Sendable {
        /// At once: the round has done something.
        case none
        /// After the job's interval: something is left.
        case interval
        /// After this process's next commit, at an instant, or in the slow sweep: the work is done for now.
        case untilCommit(or: ContinuousClock.Instant? = nil)

        /// Returns the rest after a round that has left `count` things undone.
        package static func after(left count: Int) -> Rest { count > 0 ? .interval : .untilCommit() }
    }

    /// The monotonic time between two rounds of a job that has nothing to do.
    ///
    /// Such a round finds work that was lost: a replica died after its commit, or the wall clock was moved.
    package static let slowSweep: Duration = .seconds(5)

    /// Runs `work` immediately, and again when it may have something to do.
    ///
    /// Work begins with a commit, so a job without work left rests until one. A round that fails is logged and does not
    /// end the job, because the next may work.
    /// - Parameters:
    ///   - name: The job's name in the log.
    ///   - interval: The monotonic time between two rounds. Only an instant that a round has named may come earlier.
    ///   - commits: The signal of the database that `work` reads.
    ///   - slowly: The monotonic time between two rounds without a commit.
    ///   - work: One round.
    package static func repeating(
        _ name: String, every interval: Duration, _ commits: CommitSignal, slowly: Duration = slowSweep,
        _ logger: Logger, _ work: @escaping @Sendable () async throws -> Rest
    ) -> BackgroundJob {
        BackgroundJob {
            while !Task.isCancelled {
                // Noted before the tables are read: a commit meanwhile may be missed by the round.
                let position = commits.position
                var rest = Rest.interval
                do {
                    rest = try await work()
                } catch is CancellationError {
                    return
                } catch {
                    logger.warning("\(name) failed, it will run again", metadata: ["error": "\(error)"])
                }
                let earliest = ContinuousClock.now + interval
                switch rest {
                case .none: await Task.yield()
                // The pauses end early only with the process.
                case .interval: try? await Task.sleep(until: earliest, clock: .continuous)
                case .untilCommit(let instant):
                    let last = ContinuousClock.now + slowly
                    await commits.wait(beyond: position, until: min(instant ?? last, last))
                    try? await Task.sleep(until: min(instant ?? earliest, earliest), clock: .continuous)
                }
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

extension SQLDatabase {
    /// Repeats a commit until less than a batch is left, or the task is cancelled.
    ///
    /// - Parameter body: Processes at most `batch` rows, and returns how many.
    /// - Returns: The number of processed rows.
    /// - Throws: As ``SQLDatabase/write(_:)``. Earlier batches stay written.
    package func writeInBatches(
        of batch: Int, _ body: @escaping @Sendable (SQLTransaction) async throws -> Int
    ) async throws -> Int {
        var total = 0
        while !Task.isCancelled {
            let count = try await write(body)
            total += count
            if count < batch { break }
        }
        return total
    }
}

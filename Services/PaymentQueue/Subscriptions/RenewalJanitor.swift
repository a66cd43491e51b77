import Logging
import StoreModels

/// Processes what has fallen due, in sweeps. A sweep runs every half second of machine time, and immediately after a
/// clock was moved. The janitor keeps no state in memory; each sweep reads the tables.
struct RenewalJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// For going on with clock moves that were left half done, in one sweep.
    static let advanceTime: Duration = .seconds(5)

    let renewer: SubscriptionRenewer
    let clocks: ClockService
    let logger: Logger

    /// - Returns: The number of changes made.
    @discardableResult
    func sweep() async throws -> Int {
        let done = try await renewer.sweep()
        return done + (try await clocks.sweep(until: .now + Self.advanceTime))
    }

    /// Sweeps until the task is cancelled. A failed round is logged, and the next one follows.
    func run() async {
        while !Task.isCancelled {
            do {
                if try await sweep() > 0 { continue }
            } catch is CancellationError {
                return
            } catch {
                logger.warning("renewals failed, they will go on", metadata: ["error": "\(error)"])
            }
            await renewer.rest(for: Self.interval)
        }
    }
}

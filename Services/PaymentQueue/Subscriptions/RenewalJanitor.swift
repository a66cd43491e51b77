import Logging
import StoreModels

/// Sees that what falls due happens: every half second of the machine's own time, and at once after a clock was moved.
/// Knows nothing by heart; each sweep reads the tables.
struct RenewalJanitor: Sendable {
    /// Between two sweeps; monotonic.
    static let interval: Duration = .milliseconds(500)
    /// For going on with clock moves that were left half done, in one sweep.
    static let advanceTime: Duration = .seconds(5)

    let renewer: SubscriptionRenewer
    let clocks: ClockService
    let logger: Logger

    /// - Returns: how many things have happened.
    @discardableResult
    func sweep() async throws -> Int {
        let done = try await renewer.sweep()
        return done + (try await clocks.sweep(until: .now + Self.advanceTime))
    }

    /// Until the task is cancelled. A round that fails is told of and not the end.
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

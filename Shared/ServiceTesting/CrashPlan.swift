import EventLoop

/// Kills a service at a checkpoint: from then on every step of the dead one throws.
///
/// ```swift
/// let crash = CrashPlan<Checkpoint>()
/// let service = PaymentQueueService(…, checkpoint: { try crash.reach($0) })
/// crash.arm(.afterCharge)
/// ```
package final class CrashPlan<Checkpoint: Equatable & Sendable>: Sendable {
    /// The end of a dead service's step.
    package struct Crash: Error {}

    private struct Contents {
        var armed: Checkpoint?
        var isDead = false
    }

    private let contents = Locked(Contents())

    /// Creates a plan that kills no service until ``arm(_:)``.
    package init() {}

    /// The next time the service comes by, it dies.
    package func arm(_ checkpoint: Checkpoint) { contents.withLock { $0.armed = checkpoint } }

    /// Whether the armed checkpoint was reached.
    package var hasCrashed: Bool { contents.withLock { $0.isDead } }

    /// - Throws: ``Crash`` at the armed checkpoint, and at every other one from then on.
    package func reach(_ checkpoint: Checkpoint) throws {
        let dies = contents.withLock { contents in
            if contents.armed == checkpoint { contents.isDead = true }
            return contents.isDead
        }
        if dies { throw Crash() }
    }
}

import EventLoop

@testable import PromotionController

/// Kills a promotion controller at a checkpoint: from then on every step of the dead one throws.
final class CrashPlan: Sendable {
    struct Crash: Error {}

    private struct Contents {
        var armed: Checkpoint?
        var isDead = false
    }

    private let contents = Locked(Contents())

    func arm(_ checkpoint: Checkpoint) { contents.withLock { $0.armed = checkpoint } }
    var hasCrashed: Bool { contents.withLock { $0.isDead } }

    func reach(_ checkpoint: Checkpoint) throws {
        let dies = contents.withLock { contents in
            if contents.armed == checkpoint { contents.isDead = true }
            return contents.isDead
        }
        if dies { throw Crash() }
    }
}

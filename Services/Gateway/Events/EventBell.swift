import EventLoop
import StoreModels

/// Signals a waiting request to look again, and when to stop waiting.
///
/// Several rings before the request looks count as one, because each look reads everything new.
final class EventBell: Sendable {
    /// Reason for the end of waiting.
    enum End: Sendable {
        case timeUp
        case clientGone
        /// The gateway is stopping.
        case stopping
    }

    let rings: AsyncStream<Void>
    private let ringer: AsyncStream<Void>.Continuation
    private let ending = Locked<End?>(nil)

    init() {
        (rings, ringer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func ring() { ringer.yield() }

    /// Ends ``rings``. The first reason counts.
    func finish(_ reason: End) {
        ending.withLock { $0 = $0 ?? reason }
        ringer.finish()
    }

    /// Nil while waiting makes sense.
    var end: End? { ending.withLock { $0 } }
}

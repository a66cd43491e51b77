import EventLoop
import StoreModels

/// Tells one waiting request to look again, and when to stop waiting.
///
/// Rings that nobody has heard yet are one ring: whoever looks, sees everything.
final class EventBell: Sendable {
    /// Why waiting is over.
    enum End: Sendable {
        case timeUp
        case clientGone
        /// The gateway stops.
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

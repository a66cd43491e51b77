import EventLoop
import StoreModels

/// Signals a waiting request to read again or to stop.
///
/// Several rings before the request reads count as one, because each read gets all new events.
final class EventSignal: Sendable {
    /// The reason for the end of waiting.
    enum End: Sendable {
        case timeUp
        case clientGone
        /// The gateway is stopping.
        case stopping
    }

    let notifications: AsyncStream<Void>
    private let notifier: AsyncStream<Void>.Continuation
    private let ending = Locked<End?>(nil)

    init() {
        (notifications, notifier) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    func notify() { notifier.yield() }

    /// Ends ``notifications``. The first reason counts.
    func finish(_ reason: End) {
        ending.withLock { $0 = $0 ?? reason }
        notifier.finish()
    }

    /// The reason why waiting has ended. Nil while it continues.
    var end: End? { ending.withLock { $0 } }
}

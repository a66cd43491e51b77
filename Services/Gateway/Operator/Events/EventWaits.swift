import EventLoop
import GatewayEdge
import StoreModels

/// The requests and streams that wait for events. Their number is limited, and they end when the gateway stops.
package final class EventWaits: Sendable {
    /// Maximum number of simultaneous requests. One more gets 429. A test waits for one event at a time, so this serves
    /// dozens of tests.
    static let waitersMax = 64

    /// Maximum number of simultaneous streams. One more gets 429. All pages of a browser share one.
    static let streamsMax = 64

    /// Maximum number of simultaneous taps of the bus. One more gets 429. Each costs the gateway a copy of every
    /// message.
    static let tapsMax = 8

    /// The kinds of waiting requests, each with a bound of its own.
    enum Kind: Sendable {
        case request
        case stream
        case tap
    }

    private struct State {
        var signals: [ObjectIdentifier: (signal: EventSignal, kind: Kind)] = [:]
        var isStopping = false

        func count(_ kind: Kind) -> Int { signals.values.count { $0.kind == kind } }
    }

    private let state = Locked(State())

    /// Admits a waiting request, a stream or a tap.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    func enter(_ kind: Kind) throws(StoreError) -> EventSignal {
        try state.withLock { state throws(StoreError) in
            guard !state.isStopping else { throw .stopping }
            let (max, name) =
                switch kind {
                case .request: (Self.waitersMax, "requests wait for events")
                case .stream: (Self.streamsMax, "streams of events are open")
                case .tap: (Self.tapsMax, "taps of the bus are open")
                }
            guard state.count(kind) < max else {
                throw StoreError(.rateLimited, "\(max) \(name) already; close one first", retryAfterMs: 1000)
            }
            let signal = EventSignal()
            state.signals[ObjectIdentifier(signal)] = (signal, kind)
            return signal
        }
    }

    func leave(_ signal: EventSignal) {
        state.withLock { $0.signals[ObjectIdentifier(signal)] = nil }
    }

    /// Ends every wait and admits no more.
    package func stop() {
        let signals = state.withLock { state in
            state.isStopping = true
            return state.signals.values.map(\.signal)
        }
        for signal in signals { signal.finish(.stopping) }
    }

    /// Returns the number of those of a kind.
    func count(_ kind: Kind) -> Int { state.withLock { $0.count(kind) } }
}

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

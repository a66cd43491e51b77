import BusClient

/// The states of a client's connection to a cluster: connecting, ready, waiting, closed. Pure: events and the time go
/// in, actions come out. Signing in and pings are libnats's.
///
/// `now` is the loop's monotonic time. The machine has one timer.
struct NATSConnectionMachine {
    enum Event {
        case start
        /// A server has accepted the client.
        case opened
        /// No server could be reached, or the connection has ended. Final errors end the client.
        case lost(BusError)
        /// The timer.
        case tick
        /// The caller closes the client.
        case stop
    }

    enum Action: Equatable {
        /// Try each server once, and answer with `opened` or `lost`.
        case open
        /// Subscribe again and send the waiting messages.
        case becomeReady
        /// Drop the connection.
        case close
        /// Fail the requests in flight and broadcast the state.
        case fail(BusError)
        case wait(Duration)
        /// Close for good, with the reason.
        case end(BusError)
    }

    private enum Phase {
        case idle
        case waiting
        case opening
        case ready(since: Duration)
        case closed
    }

    private var phase = Phase.idle
    private var backoff: ReconnectBackoff

    init(random: any RandomNumberGenerator & Sendable) {
        backoff = ReconnectBackoff(random: random)
    }

    var isReady: Bool {
        if case .ready = phase { true } else { false }
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch (phase, event) {
        case (.closed, _): return []
        case (_, .stop): return stop()
        case (.idle, .start), (.waiting, .tick): return open()
        case (.opening, .opened):
            phase = .ready(since: now)
            return [.becomeReady]
        case (.opening, .lost(let error)), (.ready, .lost(let error)): return lose(error, now)
        default:
            // Late events of an abandoned connection.
            return []
        }
    }

    private mutating func open() -> [Action] {
        phase = .opening
        return [.open]
    }

    private mutating func lose(_ error: BusError, _ now: Duration) -> [Action] {
        if error.isFinal {
            phase = .closed
            return [.close, .fail(error), .end(error)]
        }
        if case .ready(let since) = phase, now - since >= BusClientLimits.stableAfter { backoff.reset() }
        // The very first attempt was the one without a wait.
        if case .opening = phase, backoff.attempts == 0 { _ = backoff.next() }
        let wait = backoff.next()
        phase = .waiting
        return [.close, .fail(error)] + (wait == .zero ? open() : [.wait(wait)])
    }

    private mutating func stop() -> [Action] {
        phase = .closed
        return [.close, .end(BusError(.closed, "the client was closed"))]
    }
}

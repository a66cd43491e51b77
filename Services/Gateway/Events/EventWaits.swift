import EventLoop
import StoreModels

/// The requests that wait for events. Their number is limited, and they end when the gateway stops.
final class EventWaits: Sendable {
    /// Maximum number of simultaneous requests; one more gets 429. A test waits for one event at a time, so this serves
    /// dozens of tests.
    static let waitersMax = 64

    private struct State {
        var bells: [ObjectIdentifier: EventBell] = [:]
        var isStopping = false
    }

    private let state = Locked(State())

    /// Admits a waiting request.
    /// - Throws: `rateLimited` at the bound, `serviceUnavailable` when the gateway stops.
    func enter() throws(StoreError) -> EventBell {
        try state.withLock { state throws(StoreError) in
            guard !state.isStopping else { throw .stopping }
            guard state.bells.count < Self.waitersMax else {
                throw StoreError(
                    .rateLimited, "\(Self.waitersMax) requests wait for events already", retryAfterMs: 1000)
            }
            let bell = EventBell()
            state.bells[ObjectIdentifier(bell)] = bell
            return bell
        }
    }

    func leave(_ bell: EventBell) {
        state.withLock { $0.bells[ObjectIdentifier(bell)] = nil }
    }

    /// Ends every wait and admits no more.
    func stop() {
        let bells = state.withLock { state in
            state.isStopping = true
            return Array(state.bells.values)
        }
        for bell in bells { bell.finish(.stopping) }
    }

    /// The number of waiting requests.
    var count: Int { state.withLock { $0.bells.count } }
}

extension StoreError {
    static let stopping = StoreError(.serviceUnavailable, "this gateway is stopping", retryAfterMs: 100)
}

import Foundation

/// A request to the store. What can be asked is in its subclasses; each has a `delegate` of its own kind.
///
/// Keep a strong reference until the delegate has heard: a request that is let go is cancelled, silently.
public class SKRequest: NSObject, @unchecked Sendable {
    // Unchecked, because a class with subclasses cannot be checked: what changes is behind the lock.
    private enum State: Sendable {
        case idle
        case running(any RunningRequest)
        case over
    }

    let queue: SKPaymentQueue
    private let state = Locked(State.idle)

    init(queue: SKPaymentQueue) { self.queue = queue }

    deinit { cancel() }

    /// Sends the request. It can be sent once; a second start does nothing.
    public func start() {
        let isFirst = state.withLock { state in
            guard case .idle = state else { return false }
            state = .running(NotYetRunning())
            return true
        }
        guard isFirst else { return }
        let running = send()
        let isCancelled = state.withLock { state in
            guard case .running = state else { return true }
            state = .running(running)
            return false
        }
        if isCancelled { running.cancel() }
    }

    /// Ends the request; its delegate hears nothing any more. A callback that has begun runs to its end.
    public func cancel() {
        let running: (any RunningRequest)? = state.withLock { state in
            defer { state = .over }
            guard case .running(let running) = state else { return nil }
            return running
        }
        running?.cancel()
    }

    /// Puts the question. Whoever overrides it holds the request weakly.
    func send() -> any RunningRequest { NotYetRunning() }

    /// Whether the delegate may still hear of it. True once.
    func end() -> Bool {
        state.withLock { state in
            defer { state = .over }
            guard case .running = state else { return false }
            return true
        }
    }
}

/// Something under way that can be stopped.
protocol RunningRequest: Sendable {
    func cancel()
}

/// Between `start()` and the first byte there is nothing to stop.
private struct NotYetRunning: RunningRequest {
    func cancel() {}
}

/// Keeps calls away from an endpoint that does not answer. After 5 failures in a row it opens for a second, then lets
/// one call through, whose outcome decides.
///
/// A pure state machine; time is passed in.
struct CircuitBreaker {
    private enum State {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant)
        /// One call is trying.
        case halfOpen
    }

    private var state = State.closed(failures: 0)

    /// Whether a call may go. When true, exactly one of `succeeded`, `failed` and `abandoned` must follow.
    mutating func admit(now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .closed: return true
        case .halfOpen: return false
        case .open(let until):
            guard now >= until else { return false }
            state = .halfOpen
            return true
        }
    }

    /// Closes the breaker: the endpoint answered, with a result or an error of its own.
    mutating func succeeded() {
        state = .closed(failures: 0)
    }

    /// Counts a call that timed out or found the endpoint overloaded.
    mutating func failed(now: ContinuousClock.Instant) {
        switch state {
        case .closed(let failures) where failures + 1 < BusServiceLimits.breakerFailures:
            state = .closed(failures: failures + 1)
        case .closed, .halfOpen:
            state = .open(until: now + BusServiceLimits.breakerOpen)
        case .open:
            // A call from before it opened; it has been counted out.
            break
        }
    }

    /// Ends a call that says nothing about the endpoint, such as a cancelled one.
    mutating func abandoned(now: ContinuousClock.Instant) {
        // The next call may try immediately.
        if case .halfOpen = state { state = .open(until: now) }
    }
}

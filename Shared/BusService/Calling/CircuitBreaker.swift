/// Keeps calls away from an endpoint that does not answer. Opens after 5 failures in a row, for 100 ms at first and up to
/// a second while trials fail. Then one call a second goes through, and the first success closes it.
///
/// A pure state machine, to which time is passed.
struct CircuitBreaker {
    private enum State {
        case closed(failures: Int)
        case open(until: ContinuousClock.Instant)
        /// A call is trying. It may hang until its deadline, so the next may try at `next`.
        case halfOpen(next: ContinuousClock.Instant)
    }

    private var state = State.closed(failures: 0)
    /// When the endpoint last answered, or the breaker last opened. A call that began earlier and times out now says
    /// nothing about the endpoint since.
    private var changed: ContinuousClock.Instant?
    private var pause = BusServiceLimits.breakerOpen.lowerBound

    /// Whether a call may go. When true, exactly one of `succeeded`, `failed` and `abandoned` must follow.
    mutating func admit(now: ContinuousClock.Instant) -> Bool {
        switch state {
        case .closed: return true
        case .open(let moment), .halfOpen(let moment):
            guard now >= moment else { return false }
            state = .halfOpen(next: now + BusServiceLimits.breakerOpen.upperBound)
            return true
        }
    }

    /// Closes the breaker: the endpoint answered, with a result or an error of its own.
    mutating func succeeded(now: ContinuousClock.Instant) {
        state = .closed(failures: 0)
        changed = now
        pause = BusServiceLimits.breakerOpen.lowerBound
    }

    /// Counts a call that timed out or found the endpoint overloaded.
    /// - Parameter begun: The `now` of its admission.
    mutating func failed(begun: ContinuousClock.Instant, now: ContinuousClock.Instant) {
        if let changed, begun < changed { return }
        switch state {
        case .closed(let failures) where failures + 1 < BusServiceLimits.breakerFailures:
            state = .closed(failures: failures + 1)
        case .closed, .halfOpen:
            state = .open(until: now + pause)
            changed = now
            pause = min(pause * 2, BusServiceLimits.breakerOpen.upperBound)
        case .open:
            break
        }
    }

    /// Ends a call that says nothing about the endpoint, such as a cancelled one.
    mutating func abandoned(now: ContinuousClock.Instant) {
        // The next call may try immediately.
        if case .halfOpen = state { state = .open(until: now) }
    }
}

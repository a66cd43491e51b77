import EventLoop
import Metrics

/// The breakers, bulkheads and retry budget that one caller's calls share. Breaker and bulkhead are per endpoint.
final class CallerState: Sendable {
    /// An object, so that a call that ends changes it in place.
    ///
    /// `@unchecked Sendable`: it is touched only while `contents` is locked.
    private final class EndpointState: @unchecked Sendable {
        var breaker = CircuitBreaker()
        var inFlight = 0
    }

    private struct Contents {
        var endpoints: [String: EndpointState] = [:]
        var budget = RetryBudget()
        var timers: [Result: Timer] = [:]
    }

    /// The labels under which the duration of a call is recorded.
    private struct Result: Hashable {
        let endpoint: String
        let code: String
    }

    /// The answer of breaker and bulkhead to a call.
    enum Admission: Equatable {
        case admitted(at: ContinuousClock.Instant)
        case breakerOpen, bulkheadFull
    }

    /// The result of a call, as the breaker counts it.
    enum Outcome {
        case succeeded, failed, abandoned
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let contents = Locked(Contents())

    init(now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.now = now
    }

    /// Admits a call if breaker and bulkhead let it through. After `admitted` exactly one `leave` must follow.
    func enter(_ subject: String) -> Admission {
        contents.withLock { contents in
            let now = now()
            let endpoint: EndpointState
            if let known = contents.endpoints[subject] {
                endpoint = known
            } else {
                endpoint = EndpointState()
                contents.endpoints[subject] = endpoint
            }
            guard endpoint.breaker.admit(now: now) else { return .breakerOpen }
            guard endpoint.inFlight < BusServiceLimits.bulkhead else {
                endpoint.breaker.abandoned(now: now)
                return .bulkheadFull
            }
            endpoint.inFlight += 1
            return .admitted(at: now)
        }
    }

    /// - Parameter begun: The moment of its admission.
    func leave(_ subject: String, _ outcome: Outcome, begun: ContinuousClock.Instant) {
        contents.withLock { contents in
            guard let endpoint = contents.endpoints[subject] else { return }
            let now = now()
            endpoint.inFlight -= 1
            switch outcome {
            case .succeeded: endpoint.breaker.succeeded(now: now)
            case .failed: endpoint.breaker.failed(begun: begun, now: now)
            case .abandoned: endpoint.breaker.abandoned(now: now)
            }
        }
    }

    /// Returns the timer of an endpoint's calls with a code, `ok` or an error's. Its labels are looked up once.
    func timer(_ endpoint: String, _ code: String, of caller: String) -> Timer {
        contents.withLock { contents in
            let result = Result(endpoint: endpoint, code: code)
            if let timer = contents.timers[result] { return timer }
            let timer = Timer(
                label: "storebus_call_duration_seconds",
                dimensions: [("caller", caller), ("endpoint", endpoint), ("code", code)])
            contents.timers[result] = timer
            return timer
        }
    }

    func earnRetry() { contents.withLock { $0.budget.earn() } }
    func spendRetry() -> Bool { contents.withLock { $0.budget.spend() } }
}

/// Keeps retries within a tenth of the calls. Retrying then never makes an outage worse.
struct RetryBudget {
    private var saved = BusServiceLimits.retryBudgetMax

    /// Earns a tenth of a retry, for a first attempt.
    mutating func earn() {
        saved = min(saved + BusServiceLimits.retryBudgetRatio, BusServiceLimits.retryBudgetMax)
    }

    /// Takes one retry out. False when none is left.
    mutating func spend() -> Bool {
        guard saved >= 1 else { return false }
        saved -= 1
        return true
    }
}

/// Keeps calls away from an endpoint that does not answer. Opens after 5 failures in a row, for 100 ms at first and up
/// to a second while trials fail. Then one call a second goes through, and the first success closes it.
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

import EventLoop

/// The bounds of services and their callers, each with its reason.
package enum BusServiceLimits {
    /// The budget of a call whose caller named none.
    package static let defaultTimeout: Duration = .seconds(5)
    /// The longest accepted `Sb-Timeout`, so that a caller cannot hold work here indefinitely.
    package static let timeoutMax: Duration = .seconds(300)
    /// A reply must fit every transport with room to spare; longer lists are paged (`architecture.md`, Scaling).
    package static let replyBytesMax = 512 << 10
    /// Requests in flight per endpoint, on either side. There is no queue: further requests are refused immediately.
    package static let bulkhead = 1024
    /// How long a stopping service waits for the requests it has taken.
    package static let drainTimeout: Duration = .seconds(10)
    /// How long one health check may take before it counts as failed.
    package static let healthCheckTimeout: Duration = .seconds(1)
    /// The queue group of every service's request subjects.
    package static let queueGroup = "q"

    /// Attempts beyond the first.
    package static let retriesMax = 2
    /// The wait before the first retry is drawn from zero to this; it doubles.
    package static let retryBackoff = Backoff(min: .milliseconds(50), max: .milliseconds(100))
    /// Each call earns this much of a retry, so that retries stay within a tenth of the calls.
    package static let retryBudgetRatio = 0.1
    /// What may be saved up, and what a new caller begins with.
    package static let retryBudgetMax = 10.0

    /// Failures in a row after which a circuit breaker opens.
    package static let breakerFailures = 5
    /// How long it stays open before one call may try again.
    package static let breakerOpen: Duration = .seconds(1)
}

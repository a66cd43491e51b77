import BusProtocol
import EventLoop

/// The bounds of services and their callers, each with its reason.
package enum BusServiceLimits {
    /// The time a call gets when its caller sets no deadline.
    package static let defaultTimeout: Duration = .seconds(5)
    /// The longest accepted `Sb-Timeout`, so that a caller cannot hold work here indefinitely.
    package static let timeoutMax: Duration = .seconds(300)
    /// The time that a request's headers give it: `Sb-Timeout` up to ``timeoutMax``, or ``defaultTimeout``.
    package static func timeout(of headers: BusHeaders) -> Duration {
        guard let milliseconds = headers[BusHeader.sbTimeout].flatMap(Int64.init), milliseconds >= 0 else {
            return defaultTimeout
        }
        return min(.milliseconds(min(milliseconds, 1 << 40)), timeoutMax)
    }

    /// Bytes of a reply, so that it fits every transport with room to spare. Longer lists are paged.
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
    /// The waits before retries: up to 50 ms, then up to 100 ms.
    package static let retryBackoff = Backoff(min: .milliseconds(50), max: .milliseconds(100))
    /// The part of a retry that each call earns. Retries thus stay within a tenth of the calls.
    package static let retryBudgetRatio = 0.1
    /// The most retries saved up. A caller begins with as many.
    package static let retryBudgetMax = 10.0

    /// Failures in a row after which a circuit breaker opens.
    package static let breakerFailures = 5
    /// How long it stays open before one call may try again: at first, and after trials that failed.
    package static let breakerOpen: ClosedRange<Duration> = .milliseconds(100) ... .seconds(1)
}

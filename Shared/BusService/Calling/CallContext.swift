import BusProtocol
import EventLoop
import StoreModels

/// The context of a call: everything it carries apart from its body.
package struct CallContext: Sendable {
    /// The instant at which the caller stops waiting. A service does not begin a request after it.
    package var deadline: ContinuousClock.Instant
    /// The caller's span, which the callee takes as its parent.
    package var traceparent: String
    /// `Sb-Id`: the idempotency key, unchanged across retries.
    package var requestIdentifier: String
    /// The asking customer, `c:<app>:<customerIdentifier>:<device>`. Set by the gateway and passed on.
    package var actor: String?

    /// - Parameters:
    ///   - deadline: Nil: 5 s from now.
    ///   - traceparent: Nil: a new trace.
    ///   - requestIdentifier: Nil: a random one.
    package init(
        deadline: ContinuousClock.Instant? = nil, traceparent: String? = nil, requestIdentifier: String? = nil,
        actor: String? = nil
    ) {
        self.deadline = deadline ?? .now + BusServiceLimits.defaultTimeout
        self.traceparent = traceparent ?? TraceContext().traceparent
        self.requestIdentifier = requestIdentifier ?? RandomIdentifier.hex(digits: 32)
        self.actor = actor
    }

    /// The budget that is left. Negative after the deadline.
    package var remaining: Duration { ContinuousClock.now.duration(to: deadline) }
}

extension CallContext {
    /// The headers of one attempt.
    func headers(attempt: Int) -> BusHeaders {
        var headers: BusHeaders = [
            BusHeader.traceparent: traceparent, BusHeader.sbID: requestIdentifier,
            BusHeader.sbTimeout: "\(max(1, remaining.wholeMilliseconds))", BusHeader.sbAttempt: "\(attempt)",
        ]
        if let actor { headers[BusHeader.sbActor] = actor }
        return headers
    }
}

extension StoreError {
    /// Whether the service is unavailable, as opposed to an error that the caller caused.
    package var meansAway: Bool { code == .serviceUnavailable || code == .deadlineExceeded || code == .internal }
}

extension ContinuousClock.Instant {
    /// The deadline for optional services of a request with this deadline. It is a second, or a fifth of the request's
    /// time when that is longer.
    package var forOptionalServices: ContinuousClock.Instant {
        let now = ContinuousClock.now
        return min(self, now + max(.seconds(1), (self - now) / 5))
    }
}

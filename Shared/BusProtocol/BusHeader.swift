/// Names of the headers that Storebus gives a meaning to.
package enum BusHeader {
    /// W3C trace context, the parent.
    package static let traceparent = "traceparent"
    /// W3C trace context, vendors' part.
    package static let tracestate = "tracestate"
    /// Idempotency key, unchanged across retries.
    package static let sbID = "Sb-Id"
    /// Remaining budget in milliseconds; each hop subtracts. Best effort: no safety argument rests on it.
    package static let sbTimeout = "Sb-Timeout"
    /// Number of this attempt, from 1.
    package static let sbAttempt = "Sb-Attempt"
    /// Who asks: `c:<app>:<customerIdentifier>:<device>`. Set by the gateway only.
    package static let sbActor = "Sb-Actor"
    /// The subject a 503 or 429 status message speaks of. Set by the broker only.
    package static let sbSubject = "Sb-Subject"
    /// A sentence, on error replies (NATS ADR-32).
    package static let natsServiceError = "Nats-Service-Error"
    /// A number, on error replies (NATS ADR-32).
    package static let natsServiceErrorCode = "Nats-Service-Error-Code"
    /// Media type of the body; only when it is not JSON.
    package static let contentType = "Content-Type"
}

import BusProtocol
import Logging

/// The context of a request: everything a handler gets apart from its body.
package struct RequestContext: Sendable {
    /// The instant at which the caller stops waiting. It is the time of arrival plus `Sb-Timeout` (300 s at most), or
    /// plus 5 s without that header.
    package let deadline: ContinuousClock.Instant
    /// This hop's span in the caller's trace.
    package let trace: TraceContext
    /// The caller's span. Nil for a trace that begins here.
    let parentSpan: String?
    /// `Sb-Id`, the idempotency key, or a random one when the caller sent none.
    package let requestIdentifier: String
    /// `Sb-Attempt`, from 1.
    package let attempt: Int
    /// `Sb-Actor`: the requesting customer, `c:<app>:<customerIdentifier>:<device>`. Only the gateway sets it.
    package let actor: String?
    /// The endpoint's name, `queue.add`.
    package let endpoint: String
    private let baseLogger: Logger

    /// Creates the context of a request that did not arrive over the bus.
    ///
    /// - Parameters:
    ///   - deadline: Nil: 5 s from now.
    package init(
        endpoint: String, deadline: ContinuousClock.Instant? = nil, trace: TraceContext = TraceContext(),
        parentSpan: String? = nil, requestIdentifier: String? = nil, attempt: Int = 1, actor: String? = nil,
        logger: Logger
    ) {
        self.endpoint = endpoint
        self.deadline = deadline ?? .now + BusServiceLimits.defaultTimeout
        self.trace = trace
        self.parentSpan = parentSpan
        self.requestIdentifier = requestIdentifier ?? RandomIdentifier.hex(digits: 32)
        self.attempt = attempt
        self.actor = actor
        baseLogger = logger
    }

    /// Reads the headers of a request that has just arrived. Missing or malformed headers get their defaults, unknown
    /// ones are ignored.
    init(endpoint: String, headers: BusHeaders, logger: Logger) {
        let (trace, parent) = TraceContext.received(headers[BusHeader.traceparent])
        self.init(
            endpoint: endpoint, deadline: .now + BusServiceLimits.timeout(of: headers), trace: trace,
            parentSpan: parent, requestIdentifier: headers[BusHeader.sbID],
            attempt: headers[BusHeader.sbAttempt].flatMap(Int.init) ?? 1,
            actor: headers[BusHeader.sbActor], logger: logger)
    }

    /// The budget that is left. Negative after the deadline.
    package var remaining: Duration { ContinuousClock.now.duration(to: deadline) }
    /// This hop's span, as a header.
    package var traceparent: String { trace.traceparent }
    /// The trace, for logs and error messages.
    package var traceID: String { trace.traceID }

    /// The context for calls that this request needs. It has the remaining budget, this span as parent, the same
    /// identifier and actor.
    package var callContext: CallContext {
        CallContext(deadline: deadline, traceparent: traceparent, requestIdentifier: requestIdentifier, actor: actor)
    }

    /// A logger with this request's identifiers. It is made at each access, because most requests log nothing.
    package var logger: Logger {
        var logger = baseLogger
        logger[metadataKey: "endpoint"] = "\(endpoint)"
        logger[metadataKey: "requestIdentifier"] = "\(requestIdentifier)"
        logger[metadataKey: "traceID"] = "\(traceID)"
        return logger
    }
}

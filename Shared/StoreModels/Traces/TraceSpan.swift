/// A part of a trace that has ended, in one process: a request that it handled, or work within one.
///
/// ```json
/// {"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","name":"queue.add","kind":"server",
///  "service":"payment-queue","instance":"9f3c0d21a4b5c6d7e8f90123","startedAtMicros":1764524424000000,
///  "durationMicros":1840,"attributes":{"storebus.transaction":"2000000000000001"}}
/// ```
package struct TraceSpan: Hashable, Sendable, Codable {
    /// The part of a process in a request.
    package enum Kind: String, CaseIterable, Sendable, Codable {
        /// A request that the process handled.
        case server
        /// A request that it sent.
        case client
        /// Work of its own.
        case `internal`
    }

    /// The trace, 32 hexadecimal digits.
    package var traceId: String
    /// 16 hexadecimal digits.
    package var spanId: String
    /// The span within which it was. Absent for one that a client or the store began.
    package var parentSpanId: String?
    /// An endpoint of a service, `queue.add`, a method and a path, or the name of the work.
    package var name: String
    /// The process's part.
    package var kind: Kind
    /// The service's name.
    package var service: String
    /// The service's instance, random for each start.
    package var instance: String
    /// Its beginning by the wall clock, microseconds since 1970.
    package var startedAtMicros: Int64
    /// Its duration in microseconds.
    package var durationMicros: Int64
    /// The code of the error with which it ended. Absent without one.
    package var error: String?
    /// Facts about it, by OpenTelemetry's names or names that begin with `storebus.`.
    package var attributes: [String: String] = [:]
}

/// The spans that are wanted of a process.
package struct SpanRequest: Hashable, Sendable, Codable {
    /// Only of these traces.
    package var traceIds: [String]?
    /// Only of a trace, or with an attribute, that is this text.
    package var text: String?
    /// Only spans that lasted as long.
    package var atLeastMicros: Int64?
    /// Only requests of clients to the gateway, and spans without a parent.
    package var rootsOnly: Bool?
    /// How many at most, the newest first.
    package var limit: Int
    /// Instead of all above: those behind the number of each instance, the oldest first.
    package var after: [String: Int64]?
}

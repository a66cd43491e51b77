import StoreHTTP
import StoreModels

/// A trace of a purchase.
enum Traced {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    static func span(
        _ id: String, _ name: String, in parent: String?, of service: String, at micros: Int64, for duration: Int64,
        error: String? = nil
    ) -> TraceSpan {
        TraceSpan(
            traceId: trace, spanId: id, parentSpanId: parent, name: name, kind: .server, service: service,
            instance: "9f3c0d21a4b5c6d7e8f90123", startedAtMicros: 1_764_524_424_000_000 + micros,
            durationMicros: duration, error: error, attributes: [:])
    }

    static let response = TracesResponse(traces: [
        TracesResponse.Trace(
            traceId: trace,
            spans: [
                span("a", "POST /v1/payments", in: nil, of: "gateway", at: 0, for: 12_400),
                span("b", "queue.add", in: "a", of: "payment-queue", at: 2_000, for: 9_100),
                span("c", "commit", in: "b", of: "payment-queue", at: 5_000, for: 3_010),
                span("d", "charge.capture", in: "z", of: "payment-processor", at: 12_000, for: 50, error: "notFound"),
            ])
    ])
}

import HTTPTypes
import Metrics
import Synchronization

/// The gateway's own metrics. Labels come from the route table and from short lists, never from a client, so their
/// number is bounded.
final class HTTPMetrics: Sendable {
    private let active = Atomic(0)
    private let activeGauge: Gauge
    private let factory: (any MetricsFactory)?

    /// - Parameter factory: Nil for the process's own.
    init(factory: (any MetricsFactory)? = nil) {
        self.factory = factory
        activeGauge =
            factory.map { Gauge(label: "storebus_http_requests_active", factory: $0) }
            ?? Gauge(label: "storebus_http_requests_active")
    }

    func began() {
        activeGauge.record(active.add(1, ordering: .relaxed).newValue)
    }

    func ended(_ record: AccessRecord) {
        activeGauge.record(active.subtract(1, ordering: .relaxed).newValue)
        let route = record.route ?? "unmatched"
        let labels = [("route", route), ("method", Self.label(record.method)), ("code", "\(record.status)")]
        counter("storebus_http_requests_total", labels).increment()
        timer("storebus_http_request_duration_seconds", [("route", route)])
            .recordNanoseconds(Int64(record.duration / .nanoseconds(1)))
    }

    private static func label(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .put, .post, .delete, .head, .options, .patch: method.rawValue
        default: "other"
        }
    }

    private func counter(_ label: String, _ dimensions: [(String, String)]) -> Counter {
        factory.map { Counter(label: label, dimensions: dimensions, factory: $0) }
            ?? Counter(label: label, dimensions: dimensions)
    }

    private func timer(_ label: String, _ dimensions: [(String, String)]) -> Timer {
        factory.map { Timer(label: label, dimensions: dimensions, factory: $0) }
            ?? Timer(label: label, dimensions: dimensions)
    }
}

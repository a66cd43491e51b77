import EventLoop
import HTTPTypes
import Metrics
import Synchronization

/// The gateway's HTTP metrics. Labels come from the route table and from short lists, never from a client, so their
/// number is bounded.
final class HTTPMetrics: Sendable {
    private struct Labels: Hashable {
        let route: String
        let method: String
        let status: Int
    }

    private struct Series {
        let total: Counter
        let duration: Timer
    }

    private let active = Atomic(0)
    private let known = Locked<[Labels: Series]>([:])
    private let activeGauge: Gauge
    private let factory: (any MetricsFactory)?

    /// - Parameter factory: The metrics factory. Nil for the process-wide one.
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
        let series = series(
            Labels(route: record.route ?? "unmatched", method: Self.label(record.method), status: record.status))
        series.total.increment()
        series.duration.recordNanoseconds(Int64(record.duration / .nanoseconds(1)))
    }

    /// Returns the cached series of these labels. Labels are not formatted with every request.
    private func series(_ labels: Labels) -> Series {
        known.withLock { known in
            if let series = known[labels] { return series }
            let series = Series(
                total: counter(
                    "storebus_http_requests_total",
                    [("route", labels.route), ("method", labels.method), ("code", "\(labels.status)")]),
                duration: timer("storebus_http_request_duration_seconds", [("route", labels.route)]))
            known[labels] = series
            return series
        }
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

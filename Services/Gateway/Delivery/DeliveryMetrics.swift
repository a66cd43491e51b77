import Metrics

/// Metrics of live delivery: open streams, and streams cut because the reader was too slow.
struct DeliveryMetrics: Sendable {
    private let openStreams = Gauge(label: "storebus_streams_open")
    private let cutStreams = Counter(label: "storebus_streams_cut_total")

    func open(_ count: Int) { openStreams.record(count) }
    func cut() { cutStreams.increment() }
}

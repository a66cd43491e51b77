import CoreMetrics
import EventLoop

/// Keeps the process's metrics and writes them as Prometheus text (exposition format 0.0.4). The backend of
/// swift-metrics.
///
/// Timers are histograms in seconds (give them names that end in `_seconds`), aggregating recorders are summaries with
/// sum and count, and the others are gauges. Cardinality is bounded: metrics after the 256th are not shown, and a
/// metric's label sets after the 256th share one whose labels say `other`.
package final class PrometheusRegistry: MetricsFactory {
    private struct Family {
        let kind: MetricKind
        var series: [String: MetricSeries] = [:]
    }

    /// Maximum number of metrics of one process. Storebus's processes have a few dozen.
    static let familiesMax = 256
    /// Label sets of one metric: endpoints times codes stay far below.
    static let seriesMax = 256

    /// A metric as a caller spelt it. The spelling is checked once and not with every request.
    private struct Spelling: Hashable {
        let label: String
        let dimensions: [String]
        let kind: MetricKind
    }

    /// Maximum number of cached spellings. More are looked up each time.
    static let spellingsMax = 4096

    private let families = Locked<[String: Family]>([:])
    private let known = Locked<[Spelling: MetricSeries]>([:])
    /// The functions called before each page. They set gauges that are read and not pushed.
    private let refreshers = Locked<[@Sendable () -> Void]>([])

    /// Creates an empty registry. A process has one.
    package init() {}

    /// Calls `refresh` before each page, to set gauges.
    package func beforeEachPage(_ refresh: @escaping @Sendable () -> Void) {
        refreshers.withLock { $0.append(refresh) }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions, .counter)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(label, dimensions, .counter)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions, .gauge)
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        series(label, dimensions, aggregate ? .summary : .gauge)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions, .histogram)
    }

    // Series live as long as the process: what was counted once is shown until the end, as Prometheus expects.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The page for `/metrics`, metrics and label sets in alphabetical order.
    package func text() -> String {
        for refresh in refreshers.withLock({ $0 }) { refresh() }
        var page = ""
        for (name, family) in families.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            if let help = PrometheusHelp.text(of: name) { page += "# HELP \(name) \(help)\n" }
            page += "# TYPE \(name) \(family.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                PrometheusText.append(name, labels, series.current, family.kind, to: &page)
            }
        }
        return page
    }

    /// The one series of a name and labels. A name in use with another kind, or one too many, gets a series that counts
    /// but is not shown: metrics never stop a service.
    func series(_ label: String, _ dimensions: [(String, String)], _ kind: MetricKind) -> MetricSeries {
        let spelling = Spelling(label: label, dimensions: dimensions.flatMap { [$0.0, $0.1] }, kind: kind)
        if let series = known.withLock({ $0[spelling] }) { return series }
        let series = lookUp(label, dimensions, kind)
        known.withLock { if $0.count < Self.spellingsMax { $0[spelling] = series } }
        return series
    }

    private func lookUp(_ label: String, _ dimensions: [(String, String)], _ kind: MetricKind) -> MetricSeries {
        let name = PrometheusText.name(label)
        return families.withLock { families in
            if families[name] == nil, families.count < Self.familiesMax { families[name] = Family(kind: kind) }
            guard var family = families[name], family.kind == kind else { return MetricSeries(kind) }
            var labels = PrometheusText.labels(dimensions)
            if family.series[labels] == nil, family.series.count >= Self.seriesMax {
                labels = PrometheusText.labels(dimensions.map { ($0.0, "other") })
            }
            if let series = family.series[labels] { return series }
            let series = MetricSeries(kind)
            family.series[labels] = series
            families[name] = family
            return series
        }
    }
}

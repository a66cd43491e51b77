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
            if let help = PrometheusHelp.texts[name] { page += "# HELP \(name) \(help)\n" }
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

/// The names and lines of Prometheus' text format.
enum PrometheusText {
    /// A legal metric name: letters, digits, `_` and `:`, no digit first.
    static func name(_ text: String) -> String {
        let name = String(text.map { isNameCharacter($0) ? $0 : "_" })
        return name.first?.isNumber == false ? name : "_\(name)"
    }

    /// `endpoint="queue.add",code="ok"`, sorted by name. Empty without labels.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(name($0.0))=\"\(escaped($0.1))\"" }
            .joined(separator: ",")
    }

    /// The lines of one label set.
    static func append(
        _ name: String, _ labels: String, _ value: MetricSeries.Value, _ kind: MetricKind, to page: inout String
    ) {
        switch kind {
        case .counter, .gauge:
            page += line(name, labels, number(value.number))
        case .summary:
            page += line("\(name)_sum", labels, number(value.number)) + line("\(name)_count", labels, "\(value.count)")
        case .histogram:
            var sum = 0
            for (bound, count) in zip(MetricSeries.bounds, value.buckets) {
                sum += count
                page += line("\(name)_bucket", joined(labels, "le=\"\(number(bound))\""), "\(sum)")
            }
            page += line("\(name)_bucket", joined(labels, "le=\"+Inf\""), "\(value.count)")
            page += line("\(name)_sum", labels, number(value.number)) + line("\(name)_count", labels, "\(value.count)")
        }
    }

    private static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    private static func joined(_ labels: String, _ label: String) -> String {
        labels.isEmpty ? label : "\(labels),\(label)"
    }

    /// Whole numbers without a point.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_" || character == ":")
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for character in value {
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
        return text
    }
}

/// The meaning of each Storebus metric. Prometheus asks for it, and swift-metrics has no place for it.
enum PrometheusHelp {
    /// One sentence each, of the metrics that Storebus defines.
    static let texts = [
        "process_cpu_seconds_total": "Time this process has computed.",
        "process_open_fds": "Open file descriptors.",
        "process_resident_memory_bytes": "Resident memory.",
        "storebus_call_duration_seconds": "Requests to other services, by service, endpoint and outcome.",
        "storebus_call_retries_total": "Requests sent once more, by caller.",
        "storebus_charges_total": "Charges the processor has decided, by outcome.",
        "storebus_events_dropped_total": "Events the bus did not take, by caller.",
        "storebus_http_accept_pauses_total": "Times the listener waited at its limit of descriptors.",
        "storebus_http_connections_closed_total": "Connections closed for their client's slowness, by reason.",
        "storebus_http_refused_total": "HTTP requests refused for overload, by urgency.",
        "storebus_http_request_duration_seconds": "HTTP requests, by route.",
        "storebus_http_requests_active": "HTTP requests under way.",
        "storebus_http_requests_total": "HTTP requests, by route, method and status.",
        "storebus_log_reader_faults_total": "Times a log did not continue behind a reader, by log and fault.",
        "storebus_loop_longest_turn_seconds": "Longest turn of the event loop since the page was last read.",
        "storebus_notification_attempts_total": "Attempts to deliver a notification, by result.",
        "storebus_purchases_total": "Purchases that became purchased, failed or deferred, by state.",
        "storebus_refunds_total": "Refunds the processor has made.",
        "storebus_renewals_total": "Renewals that were due, by outcome.",
        "storebus_request_duration_seconds": "Requests answered, by endpoint and code.",
        "storebus_streams_open": "Streams of observers.",
        "storebus_taken_back_total": "Purchases taken back, with the money or without, by ending.",
    ]
}

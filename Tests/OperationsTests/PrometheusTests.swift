import CoreMetrics
import Testing

@testable import Operations

/// Goal: the text Prometheus reads. Method: the text itself.
@Suite struct PrometheusTests {
    private let registry = PrometheusRegistry()

    @Test func `counters, gauges and summaries`() {
        Counter(label: "b_total", dimensions: [("z", "1"), ("a", "q\"u\\o\nte")], factory: registry).increment(by: 3)
        Counter(label: "b_total", dimensions: [("a", "q\"u\\o\nte"), ("z", "1")], factory: registry).increment()
        let gauge = Meter(label: "a_gauge", factory: registry)
        gauge.set(2.5)
        gauge.decrement(by: 1.0)
        let summary = Recorder(label: "c", aggregate: true, factory: registry)
        summary.record(1)
        summary.record(2.5)
        FloatingPointCounter(label: "d_total", factory: registry).increment(by: 0.25)
        #expect(
            registry.text() == """
                # TYPE a_gauge gauge
                a_gauge 1.5
                # TYPE b_total counter
                b_total{a="q\\"u\\\\o\\nte",z="1"} 4
                # TYPE c summary
                c_sum 3.5
                c_count 2
                # TYPE d_total counter
                d_total 0.25

                """)
    }

    @Test func `a metric of ours says what it means`() {
        Counter(label: "storebus_call_retries_total", dimensions: [("caller", "x")], factory: registry).increment()
        #expect(
            registry.text() == """
                # HELP storebus_call_retries_total Requests sent once more, by caller.
                # TYPE storebus_call_retries_total counter
                storebus_call_retries_total{caller="x"} 1

                """)
    }

    @Test func `timers are histograms in seconds with cumulative buckets`() {
        let timer = Timer(label: "t_seconds", dimensions: [("endpoint", "e")], factory: registry)
        timer.recordMilliseconds(3)
        timer.recordMilliseconds(30)
        timer.recordSeconds(60)
        let lines = registry.text().split(separator: "\n")
        #expect(lines.first == "# TYPE t_seconds histogram")
        #expect(lines.contains(#"t_seconds_bucket{endpoint="e",le="0.0025"} 0"#))
        #expect(lines.contains(#"t_seconds_bucket{endpoint="e",le="0.005"} 1"#))
        #expect(lines.contains(#"t_seconds_bucket{endpoint="e",le="0.05"} 2"#))
        #expect(lines.contains(#"t_seconds_bucket{endpoint="e",le="10"} 2"#))
        #expect(lines.contains(#"t_seconds_bucket{endpoint="e",le="+Inf"} 3"#))
        #expect(lines.contains(#"t_seconds_sum{endpoint="e"} 60.033"#))
        #expect(lines.contains(#"t_seconds_count{endpoint="e"} 3"#))
    }

    @Test func `names become legal`() {
        Counter(label: "1bus.request-count", factory: registry).increment()
        #expect(registry.text().contains("_1bus_request_count 1\n"))
    }

    @Test func `label sets over the bound share one that says other`() {
        for number in 0..<1000 {
            Counter(label: "many_total", dimensions: [("user", "\(number)")], factory: registry).increment()
        }
        let lines = registry.text().split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == PrometheusRegistry.seriesMax + 1)
        #expect(lines.contains(#"many_total{user="other"} 744"#))
    }

    @Test func `metrics over the bound, and a name with two kinds, are not shown and stop no service`() {
        for number in 0..<300 { Counter(label: "m\(number)_total", factory: registry).increment() }
        #expect(registry.text().split(separator: "\n").count == 2 * PrometheusRegistry.familiesMax)
        Meter(label: "m0_total", factory: registry).set(9)
        #expect(registry.text().contains("m0_total 1\n"))
    }

    @Test func `gauges can be brought up to date before each page`() {
        let gauge = registry.makeMeter(label: "g", dimensions: [])
        registry.beforeEachPage { gauge.increment(by: 1) }
        #expect(registry.text().contains("g 1\n"))
        #expect(registry.text().contains("g 2\n"))
    }
}

import StoreHTTP

/// The timeline of a run as SVG. It shows requests per second by outcome, faults by target, and latencies, over one
/// axis.
///
/// Colours are classes of the page's style sheet. The page has it in two widths, so that its text keeps its size.
struct Timeline {
    let report: RunReport
    /// Width in units of the picture, which are pixels at that width.
    let width: Double

    private let left = 52.0, right = 8.0
    private let requestsHeight = 170.0, latencyHeight = 130.0, rowHeight = 22.0, gap = 34.0, top = 34.0
    private var isNarrow: Bool { width < 600 }
    private var statistics: RunStatistics { report.statistics }
    private var plotWidth: Double { width - left - right }

    /// Targets with a fault or an outage, in the order of names. Narrow pictures have their names above the bands.
    private var targets: [String] {
        Set((report.history.faults + report.history.outages).map(\.target)).sorted()
    }
    private var labelHeight: Double { 15 }
    private var rowsTop: Double { top + requestsHeight + gap }
    private var rowsHeight: Double { Double(targets.count) * (rowHeight + labelHeight) }
    private var latencyTop: Double { rowsTop + rowsHeight + (targets.isEmpty ? 0 : gap - 6) }
    private var height: Double { latencyTop + latencyHeight + 26 }

    var svg: String {
        let size = "viewBox=\"0 0 \(number(width)) \(number(height))\""
        let label = "Requests per second, faults and latency over the run's time"
        return "<svg class=\"\(isNarrow ? "narrow" : "wide")\" \(size) role=\"img\" aria-label=\"\(label)\">"
            + shades + requests + rows + latencies + axis + phases + "</svg>\n"
    }

    // MARK: Places

    private func x(_ time: Int64) -> Double { left + plotWidth * Double(time) / Double(statistics.duration) }

    private func number(_ value: Double) -> String { ReportText.fixed(value, 1) }

    private func text(
        _ text: String, _ x: Double, _ y: Double, _ style: String = "", anchor: String = "start"
    ) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">"
            + ReportText.escape(text) + "</text>"
    }

    private func rect(_ style: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) -> String {
        "<rect class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(max(width, 0.5)))\" "
            + "height=\"\(number(max(height, 0)))\"/>"
    }

    private func line(_ style: String, _ y: Double) -> String {
        "<line class=\"\(style)\" x1=\"\(number(left))\" x2=\"\(number(width - right))\" y1=\"\(number(y))\" "
            + "y2=\"\(number(y))\"/>"
    }

    // MARK: Parts

    /// Fault windows behind both plots.
    private var shades: String {
        report.history.faults.map { fault in
            let (from, to) = (x(fault.begin), x(fault.end))
            return rect("shade", from, top, max(to - from, 1.5), requestsHeight)
                + rect("shade", from, latencyTop, max(to - from, 1.5), latencyHeight)
        }.joined()
    }

    private var requests: String {
        let seconds = Double(statistics.stepLength) / 1_000_000
        let most = statistics.steps.map { Double($0.counts.all) / seconds }.max() ?? 0
        let scale = Self.ceiling(max(most, 1))
        let base = top + requestsHeight
        var svg = text("requests per second", 0, top - 18, "title")
        for part in [0.0, 0.5, 1.0] {
            let y = base - requestsHeight * part
            svg += line("grid", y) + text(Self.short(scale * part), left - 6, y + 4, "tick", anchor: "end")
        }
        let step = plotWidth * Double(statistics.stepLength) / Double(statistics.duration)
        for (number, one) in statistics.steps.enumerated() where one.counts.all > 0 {
            let begin = x(Int64(number) * statistics.stepLength)
            let width = min(step, self.width - right - begin)
            var y = base
            let parts = [
                ("ok", one.counts.succeeded), ("declined", one.counts.declined), ("refused", one.counts.refused),
                ("info", one.counts.unknown),
            ]
            for (style, count) in parts where count > 0 {
                let height = requestsHeight * Double(count) / seconds / scale
                y -= height
                svg += rect(style, begin, y, width > 3 ? width - 0.8 : width, height)
            }
        }
        return svg
    }

    /// One row a target: faults as bands, named if the name fits, and outages as a line below.
    private var rows: String {
        guard !targets.isEmpty else { return "" }
        var svg = text("faults and outages", 0, rowsTop - 12, "title")
        for (row, target) in targets.enumerated() {
            let y = rowsTop + Double(row) * (rowHeight + labelHeight)
            svg += text(target.isEmpty ? "run" : target, left, y + 11, "row")
            svg += rect("track", left, y + labelHeight, plotWidth, rowHeight - 4)
            for fault in report.history.faults where fault.target == target {
                let (from, to) = (x(fault.begin), x(fault.end))
                let width = max(to - from, 2)
                let times = "\(Self.time(fault.begin)) to \(Self.time(fault.end))"
                svg += "<g><title>\(ReportText.escape("\(fault.name), \(times)"))</title>"
                svg += rect("band", from, y + labelHeight, width, rowHeight - 4)
                if Double(fault.name.count) * 6.6 + 6 < width {
                    svg += text(fault.name, from + 4, y + labelHeight + 13, "name")
                }
                svg += "</g>"
            }
            for outage in report.history.outages where outage.target == target {
                svg += rect(
                    "down", x(outage.begin), y + labelHeight + rowHeight - 4,
                    max(x(outage.end) - x(outage.begin), 2), 3)
            }
        }
        return svg
    }

    private var latencies: String {
        let most = max(statistics.steps.compactMap(\.p99Milliseconds).max() ?? 1, 1)
        let least = max(min(statistics.steps.compactMap(\.p50Milliseconds).min() ?? 1, most), 0.1)
        let low = Self.power(below: least), high = max(Self.power(above: most), low + 1)
        let base = latencyTop + latencyHeight
        func y(_ milliseconds: Double) -> Double {
            let part = (Self.logarithm(max(milliseconds, 0.01)) - Double(low)) / Double(high - low)
            return base - latencyHeight * min(max(part, 0), 1)
        }
        var svg = text("latency, logarithmic", 0, latencyTop - 12, "title")
        for power in low...high {
            let y = base - latencyHeight * Double(power - low) / Double(high - low)
            svg += line("grid", y) + text(Self.unit(power), left - 6, y + 4, "tick", anchor: "end")
        }
        for (style, path) in [("p99", \ChaosRun.Step.p99Milliseconds), ("p50", \.p50Milliseconds)] {
            var points: [String] = []
            func flush() {
                if points.count > 1 {
                    svg += "<polyline class=\"\(style)\" points=\"\(points.joined(separator: " "))\"/>"
                }
                points = []
            }
            for (step, one) in statistics.steps.enumerated() {
                guard let value = one[keyPath: path] else {
                    flush()
                    continue
                }
                let middle = Int64(step) * statistics.stepLength + statistics.stepLength / 2
                points.append(
                    "\(number(x(min(middle, statistics.duration)))),\(number(y(value)))")
            }
            flush()
        }
        return svg
    }

    private var axis: String {
        let ticks = isNarrow ? 4 : 10
        let seconds = Double(statistics.duration) / 1_000_000
        let step = Self.timeStep(seconds / Double(ticks))
        var svg = ""
        var at = 0.0
        while at <= seconds {
            let x = x(Int64(at * 1_000_000))
            svg +=
                "<line class=\"grid\" x1=\"\(number(x))\" x2=\"\(number(x))\" "
                + "y1=\"\(number(latencyTop + latencyHeight))\" y2=\"\(number(latencyTop + latencyHeight + 5))\"/>"
            let anchor = x > width - 30 ? "end" : "middle"
            svg += text(Self.time(Int64(at * 1_000_000)), x, latencyTop + latencyHeight + 19, "tick", anchor: anchor)
            at += step
        }
        return svg
    }

    /// Begins of the phases, each with its name if the name fits.
    private var phases: String {
        let sorted = report.history.phases.sorted { $0.value < $1.value }
        var svg = ""
        var free = 0.0
        for (name, time) in sorted {
            let x = x(time)
            svg +=
                "<line class=\"phase\" x1=\"\(number(x))\" x2=\"\(number(x))\" y1=\"\(number(top - 6))\" "
                + "y2=\"\(number(latencyTop + latencyHeight))\"/>"
            let width = Double(name.count) * 6.6
            guard x + 3 >= free, x + width < self.width else { continue }
            svg += text(name, x + 3, top - 3, "phase-name")
            free = x + width + 8
        }
        return svg
    }

    // MARK: Scales

    /// The next of 1, 2, 5, 10, 20, … at or above a value.
    static func ceiling(_ value: Double) -> Double {
        var scale = 1.0
        while true {
            for step in [1.0, 2, 5] where step * scale >= value { return step * scale }
            scale *= 10
        }
    }

    private static func timeStep(_ seconds: Double) -> Double {
        [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].first { $0 >= seconds } ?? 7200
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : ReportText.fixed(value, 1)
    }

    static func time(_ microseconds: Int64) -> String {
        let seconds = microseconds / 1_000_000
        guard seconds >= 60 else { return "\(seconds) s" }
        return "\(seconds / 60):" + (seconds % 60 < 10 ? "0" : "") + "\(seconds % 60)"
    }

    private static func unit(_ power: Int) -> String {
        switch power {
        case ..<0: "0." + String(repeating: "0", count: -power - 1) + "1 ms"
        case 3...: "1" + String(repeating: "0", count: power - 3) + " s"
        default: "1" + String(repeating: "0", count: power) + " ms"
        }
    }

    /// The decimal logarithm, by halving. Two digits are enough for a picture.
    static func logarithm(_ value: Double) -> Double {
        var (rest, whole) = (value, 0.0)
        while rest >= 10 { (rest, whole) = (rest / 10, whole + 1) }
        while rest < 1 { (rest, whole) = (rest * 10, whole - 1) }
        var part = 0.5
        var result = whole
        for _ in 0..<20 {
            rest *= rest
            if rest >= 10 { (rest, result) = (rest / 10, result + part) }
            part /= 2
        }
        return result
    }

    private static func power(below value: Double) -> Int { Int(logarithm(value).rounded(.down)) }
    private static func power(above value: Double) -> Int { Int(logarithm(value).rounded(.up)) }
}

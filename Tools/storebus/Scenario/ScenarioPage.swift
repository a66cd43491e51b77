import StoreModels

/// One HTML page about scenarios: each with its steps and notifications in the order of the store's clock.
enum ScenarioPage {
    static func html(_ reports: [ScenarioReport]) -> String {
        let failed = reports.count { !$0.hasPassed }
        return """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Scenarios: \(reports.count - failed) passed, \(failed) failed</title>
            <style>\(style)</style></head><body><main>
            <h1>Scenarios</h1>
            <p>\(reports.count - failed) passed, \(failed) failed.</p>
            \(reports.map(section).joined())</main></body></html>\n
            """
    }

    private static let style = """
        :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
        main { max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
        table { border-collapse: collapse; width: 100% } caption, th { text-align: left }
        td, th { padding: .3rem .6rem; border-top: 1px solid light-dark(#ddd, #444); vertical-align: top }
        code, pre { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
        .time { white-space: nowrap } .number { text-align: right }
        .failed { color: light-dark(#b00020, #ff8a8a) } .passed { color: light-dark(#0a6b2d, #7ddc9a) }
        .notification td { background: light-dark(#f4f6fa, #1d2430) }
        """

    private static func section(_ report: ScenarioReport) -> String {
        let word = report.hasPassed ? "passed" : report.isStopped ? "stopped" : "failed"
        let store = report.store.map { report.isKept ? ", store \($0), which is kept" : ", store \($0)" } ?? ""
        return """
            <section><h2>\(escaped(report.scenario.name)) <span class="\(word)">\(word)</span></h2>
            <p><code>\(escaped(report.scenario.file))</code>, \(Format.seconds(report.duration))\(store)</p>
            \(report.failure.map { failure($0, report) } ?? "")
            <table><caption>Steps and notifications by the store’s clock</caption>
            <thead><tr><th scope="col">Clock</th><th scope="col">Line</th><th scope="col">What happened</th>
            <th scope="col" class="number">Took</th></tr></thead><tbody>
            \(rows(report).joined())</tbody></table></section>\n
            """
    }

    private static func failure(_ failure: ScenarioReport.Failure, _ report: ScenarioReport) -> String {
        """
        <p class="failed"><code>\(escaped(failure.place(in: report.scenario.file)))</code><br>\
        \(failure.reasons.map(escaped).joined(separator: "<br>"))</p>
        """
    }

    /// The steps in their order. A notification comes behind the step in which the clock reaches it.
    static func rows(_ report: ScenarioReport) -> [String] {
        var waiting = report.notifications[...]
        func due(at time: Timestamp?) -> [String] {
            guard let time else { return [] }
            let due = waiting.prefix { one in
                one["at"]?.stringValue.flatMap { Timestamp($0) }.map { $0 <= time } ?? true
            }
            waiting = waiting.dropFirst(due.count)
            return due.map(row)
        }
        var rows: [String] = []
        for step in report.steps {
            // A step that moves the clock comes behind the notifications that were due before it.
            if let before = step.before, let after = step.after, after > before { rows += due(at: before) }
            rows.append(row(step))
            if let before = step.before, let after = step.after, after > before { rows += due(at: after) }
        }
        return rows + waiting.map(row)
    }

    private static func row(_ step: ScenarioReport.Step) -> String {
        let times = [step.before, step.after].compactMap(\.self).map(Format.time)
        let clock = times.first == times.last ? times.prefix(1) : times[...]
        let mark = step.reasons.isEmpty ? "" : " class=\"failed\""
        let data = step.data.map {
            "<details><summary>Result</summary><pre>\(escaped(JSONText.indented($0)))</pre></details>"
        }
        return """
            <tr\(mark)><td class="time">\(clock.joined(separator: "<br>"))</td><td class="number">\(step.line)</td>\
            <td><code>\(escaped(step.title))</code>\(step.reasons.map { "<br>\(escaped($0))" }.joined())\(data ?? "")</td>\
            <td class="number">\(Int(step.duration / .milliseconds(1))) ms</td></tr>\n
            """
    }

    private static func row(_ notification: JSONValue) -> String {
        let at = notification["at"]?.stringValue.flatMap { Timestamp($0) }.map(Format.time) ?? ""
        let payload = (notification["payload"]).map {
            "<details><summary>Payload</summary><pre>\(escaped(JSONText.indented($0)))</pre></details>"
        }
        return """
            <tr class="notification"><td class="time">\(at)</td><td></td>\
            <td>Notification <code>\(escaped(notification["kind"]?.stringValue ?? ""))</code>\
            \(escaped(notification["account"]?.stringValue.map { " of \($0)" } ?? ""))\(payload ?? "")</td><td></td></tr>\n
            """
    }

    private static func escaped(_ text: String) -> String { ScenarioReports.escaped(text) }
}

import StoreHTTP

extension RunReport {
    /// `report.html`: one file without scripts and without anything from elsewhere. All text is escaped.
    package var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
        <title>Chaos run: \(verdict)</title>
        <style>\(Self.style)</style></head><body><main>
        \(head)
        \(tiles)
        \(section("Timeline", timeline))
        \(violations.isEmpty ? "" : section("Violations", violations))
        \(tables.map { section($0.title, table($0) + notes($0)) }.joined(separator: "\n"))
        \(section("Invariants", invariants))
        </main></body></html>

        """
    }

    private func section(_ title: String, _ content: String) -> String {
        "<section><h2>\(title)</h2>\n\(content)</section>"
    }

    private var verdict: String { run.verdict?.rawValue ?? "not over" }

    private func notes(_ table: ReportTable) -> String {
        table.notes.map { "<p class=\"legend\">\(ReportText.escape($0))</p>" }.joined()
    }

    private var head: String {
        let words: [ChaosRun.Verdict: String] = [
            .valid: "Every invariant held.",
            .invalid: "\(ReportText.number(check.violations.count)) violations were found.",
            .unknown: "No invariant was broken, but the run did not exercise everything it meant to.",
        ]
        let shown = facts.map { fact in
            "<dt>\(ReportText.escape(fact.name))</dt><dd>\(ReportText.escape(fact.value))</dd>"
        }.joined()
        let again = self.again.map { "<p>To repeat it:</p><pre>\(ReportText.escape($0))</pre>" } ?? ""
        let gaps = (run.gaps ?? []).map { "<li>\(ReportText.escape($0))</li>" }.joined()
        return """
            <header class="\(verdict)"><h1>\(verdict.uppercased())</h1>
            <p>\(run.verdict.flatMap { words[$0] } ?? "")</p>\(gaps.isEmpty ? "" : "<ul>\(gaps)</ul>")
            <dl class="facts">\(shown)</dl>\(again)</header>
            """
    }

    private var tiles: String {
        let tiles = [
            ("operations", ReportText.number(run.counts.all)), ("faults", ReportText.number(run.faults.count)),
            ("lost", ReportText.number(run.lost ?? 0)),
            ("double charges", ReportText.number(run.doubleCharges ?? 0)),
            ("worst recovery", run.worstRecoveryMilliseconds.map(ReportText.seconds) ?? "–"),
            ("availability", ReportText.percent(run.availability)),
            ("in faults", ReportText.percent(run.availabilityInFaults)),
            ("p99 calm", run.latency.map { ReportText.milliseconds($0.p99Milliseconds) } ?? "–"),
        ]
        return "<div class=\"tiles\">"
            + tiles.map { "<div><b>\($0.1)</b><span>\($0.0)</span></div>" }.joined() + "</div>"
    }

    private var timeline: String {
        let keys = [
            ("ok", "succeeded"), ("declined", "declined on purpose"), ("refused", "refused"),
            ("info", "unknown outcome"), ("band", "fault"), ("down", "service down"), ("p50", "latency p50"),
            ("p99", "latency p99"),
        ]
        let legend = keys.map { "<span><i class=\"\($0.0)\"></i>\($0.1)</span>" }.joined()
        return "<p class=\"legend\">\(legend)</p>\n" + Timeline(report: self, width: 1100).svg
            + Timeline(report: self, width: 372).svg
    }

    private var violations: String {
        let shown = run.violations ?? []
        let rows = shown.map { violation in
            let lines = violation.lines.map(ReportText.escape).joined(separator: "\n")
            let statement = run.invariants.first { $0.invariant == violation.invariant }?.statement ?? ""
            return """
                <article><h3><em>\(violation.invariant)</em> \(ReportText.escape(violation.subject))</h3>
                <p>\(statement)</p>
                <dl><dt>expected</dt><dd>\(ReportText.escape(violation.expected))</dd>
                <dt>found</dt><dd>\(ReportText.escape(violation.found))</dd></dl>
                <pre>\(lines)</pre></article>
                """
        }.joined(separator: "\n")
        let more = check.violations.count - shown.count
        return rows + (more > 0 ? "<p>… and \(ReportText.number(more)) more.</p>" : "")
    }

    private var invariants: String {
        let marks: [ChaosRun.Invariant.Outcome: String] = [.held: "✓", .broken: "✗", .notExercised: "–"]
        let rows = run.invariants.map { one in
            "<tr class=\"\(one.outcome.rawValue.split(separator: " ")[0])\"><td>\(one.invariant)</td>"
                + "<td>\(one.statement)</td><td>\(ReportText.number(one.examined))</td>"
                + "<td>\(marks[one.outcome] ?? "") \(one.outcome.rawValue)</td></tr>"
        }.joined(separator: "\n")
        return "<div class=\"scroll\"><table class=\"invariants\"><thead><tr><th></th><th>invariant</th>"
            + "<th>facts</th><th>outcome</th></tr></thead><tbody>\(rows)</tbody></table></div>"
    }

    private func table(_ table: ReportTable) -> String {
        guard !table.rows.isEmpty else { return "<p>none</p>" }
        let titles = table.columns.map { "<th>\(ReportText.escape($0))</th>" }.joined()
        let body = table.rows.map { row in
            "<tr>" + row.map { "<td>\(ReportText.escape($0))</td>" }.joined() + "</tr>"
        }.joined(separator: "\n")
        let style = table.isWords ? " class=\"words\"" : ""
        return
            "<div class=\"scroll\"><table\(style)><thead><tr>\(titles)</tr></thead><tbody>\(body)</tbody></table></div>"
    }

    private static let style = """
        :root{color-scheme:light dark;--bg:#f6f7f9;--card:#fff;--text:#1c2330;--soft:#5d6778;--line:#dfe3ea;\
        --ok:#2f9e6e;--declined:#98a3b5;--refused:#e07b39;--info:#c22f3d;--band:#e8a33d;\
        --shade:#e8a33d22;--down:#8e2b2b;--p50:#2f6fd0;--p99:#9b4dca;--unknown:#b7791f}
        @media (prefers-color-scheme:dark){:root{--bg:#12161d;--card:#1a202a;--text:#e6eaf1;--soft:#9aa6b8;\
        --line:#2c3543;--ok:#3fbf88;--declined:#6b778b;--refused:#f0a060;--info:#f0696a;\
        --band:#d99a3c;--shade:#d99a3c22;--down:#ff8f8f;--p50:#6ea8ff;--p99:#c58af0;--unknown:#e0ac4f}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--bg);color:var(--text);font:15px/1.5 system-ui,"Segoe UI",sans-serif}
        main{max-width:1160px;margin:0 auto;padding:20px}
        header,section,.tiles>div{background:var(--card);border:1px solid var(--line);border-radius:10px}
        header,section{padding:16px 20px;margin-bottom:16px}
        header{border-left:8px solid var(--unknown)}
        header.valid{border-left-color:var(--ok)}header.invalid{border-left-color:var(--info)}
        h1{margin:0;font-size:26px;letter-spacing:.04em}
        .valid h1{color:var(--ok)}.invalid h1{color:var(--info)}.unknown h1{color:var(--unknown)}
        h2{margin:0 0 10px;font-size:17px}h3{margin:0;font-size:15px;overflow-wrap:anywhere}
        header p{margin:4px 0 0}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(118px,1fr));gap:10px;margin-bottom:16px}
        .tiles>div{padding:10px 12px}
        .tiles b{display:block;font-size:20px;white-space:nowrap}.tiles span{color:var(--soft);font-size:13px}
        .legend{margin:0 0 6px;font-size:13px;color:var(--soft)}
        .legend span{display:inline-block;margin-right:14px;white-space:nowrap}
        .legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:5px;vertical-align:-1px}
        i.ok{background:var(--ok)}i.declined{background:var(--declined)}\
        i.refused{background:var(--refused)}\
        i.info{background:var(--info)}
        i.band{background:var(--band)}i.down{background:var(--down);height:3px;vertical-align:3px}
        i.p50{background:var(--p50);height:3px;vertical-align:3px}
        i.p99{background:var(--p99);height:3px;vertical-align:3px}
        svg{display:block;width:100%;height:auto;font:12px system-ui,-apple-system,"Segoe UI",sans-serif}
        svg.narrow{display:none}
        svg text{fill:var(--soft)}svg .title{fill:var(--text);font-weight:600}
        svg .row{fill:var(--text)}svg .name{fill:#2b1d05;font-size:11px}svg .phase-name{font-size:11px}
        svg .ok{fill:var(--ok)}svg .declined{fill:var(--declined)}\
        svg .refused{fill:var(--refused)}\
        svg .info{fill:var(--info)}
        svg .shade{fill:var(--shade)}svg .band{fill:var(--band)}svg .down{fill:var(--down)}
        svg .track{fill:var(--line);opacity:.45}
        svg .grid{stroke:var(--line);stroke-width:1}
        svg .phase{stroke:var(--soft);stroke-width:1;stroke-dasharray:2 4;opacity:.7}
        svg polyline{fill:none;stroke-width:1.8;stroke-linejoin:round}
        svg .p50{stroke:var(--p50)}svg .p99{stroke:var(--p99)}
        .scroll{overflow-x:auto;margin-bottom:10px}
        table{border-collapse:collapse;min-width:50%}
        th{font-weight:600;color:var(--soft);font-size:13px}
        th,td{text-align:right;padding:4px 14px 4px 0;border-bottom:1px solid var(--line);white-space:nowrap;\
        font-variant-numeric:tabular-nums}
        .words th,.words td,th:first-child,td:first-child,.invariants td,.invariants th{text-align:left}
        .invariants{width:100%}.invariants td:nth-child(2){white-space:normal;min-width:150px}
        .invariants td:first-child{font-weight:600}
        tr.held td:last-child{color:var(--ok)}tr.broken td:last-child{color:var(--info);font-weight:600}
        tr.not td:last-child{color:var(--soft)}
        article{border-top:1px solid var(--line);padding:12px 0}
        article em{font-style:normal;color:#fff;background:#c53030;border-radius:4px;padding:1px 7px;margin-right:4px}
        article p{margin:4px 0;color:var(--soft)}
        dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px;margin:6px 0}
        dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
        pre{background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:8px 10px;margin:6px 0 0;\
        font:12px/1.5 ui-monospace,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;\
        max-height:340px;overflow-y:auto}
        @media (max-width:640px){main{padding:10px}header,section{padding:12px 13px}svg.wide{display:none}\
        svg.narrow{display:block}th,td{padding-right:9px}table{min-width:100%;font-size:13px}\
        .tiles{grid-template-columns:1fr 1fr}}
        """
}

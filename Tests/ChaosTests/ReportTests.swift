import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Chaos

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The reports of a run.
@Suite struct ReportTests {
    private static let evil = #"<img src=x onerror=alert(1)> "&' \#u{1}"#

    /// A run with a lost purchase whose names are markup.
    private static func broken() -> RunReport {
        var script = Script()
        script.account = evil
        script.device = evil
        script.line(
            .event, .fault, detail: ["what": "begin", "name": evil, "target": "<b>catalog</b>", "number": "1"])
        script.run(.purchase, key: "k]]>", [.of("t]]>", product: evil)])
        script.run(.purchase, .info, key: "l")
        script.line(.event, .fault, detail: ["what": "end", "number": "1"])
        script.phase("<i>healed")
        script.line(.ok, .finalHistory, [])
        var setup = ScriptedRunTests.setup
        setup.commit = evil
        setup.command = "\(evil)\n```\n\(evil)"
        return RunReport(script.entries, options: RunOptions(setup: setup))
    }

    @Test func `every text of the page is escaped, and nothing comes from elsewhere`() {
        let html = Self.broken().html
        #expect(!html.contains("<img") && !html.contains("<b>c") && !html.contains("<i>healed"))
        #expect(html.contains("&lt;img src=x onerror=alert(1)&gt;"))
        #expect(!html.contains("<script") && !html.contains("http:") && !html.contains("https:"))
        #expect(!html.contains("src=\"") && !html.contains("url(") && !html.contains("@import"))
        #expect(html.contains("prefers-color-scheme:dark") && html.contains("<svg"))
    }

    @Test func `the page is well formed, its picture too`() throws {
        for report in [Self.broken(), RunReport(ModelStore.history(seed: 3)), RunReport([])] {
            let html = report.html
            for part in html.split(separator: "<svg").dropFirst() {
                let end = try #require(part.range(of: "</svg>"))
                let svg = "<svg" + part[..<end.upperBound]
                #expect(Self.isWellFormed(svg), "\(svg.prefix(300))")
            }
            #expect(!html.contains("nan") && !html.contains("\"inf\""))
        }
    }

    private static func isWellFormed(_ xml: String) -> Bool { XMLParser(data: Data(xml.utf8)).parse() }

    @Test func `JUnit is well formed, with one case an invariant`() throws {
        let report = Self.broken()
        let reader = CaseReader()
        let parser = XMLParser(data: Data(report.junit.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(parser.parserError?.localizedDescription ?? "")")
        #expect(reader.names.count == Invariant.allCases.count + 1)
        for invariant in Invariant.allCases {
            #expect(reader.names.count { $0.hasPrefix("\(invariant.rawValue) ") } == 1, "\(invariant)")
        }
        #expect(reader.failed == ["P1 An acknowledged purchase is never lost."])
        #expect(reader.text.contains(#""id":"t]]>""#))
    }

    /// Collects the cases and what failed.
    private final class CaseReader: NSObject, XMLParserDelegate {
        var names: [String] = []
        var failed: [String] = []
        var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            if name == "testcase" { names.append(attributes["name"] ?? "") }
            if name == "failure" { failed.append(names.last ?? "") }
        }

        func parser(_ parser: XMLParser, foundCharacters text: String) { self.text += text }
    }

    @Test func `the report as JSON is read again`() throws {
        let json = try StrictJSON.parse(Array(Self.broken().json.utf8))
        #expect(json["verdict"] == "invalid" && json["lost"] == 1 && json["setup"]?["seed"] == "7")
        let first = try #require(json["violations"]?.arrayValue?.first)
        #expect(first["invariant"] == "P1")
        let line = try #require(first["lines"]?.arrayValue?.last?.stringValue)
        #expect(try StoreJSON.decode(HistoryEntry.self, from: Array(line.utf8)).operation == .finalHistory)
    }

    @Test func `Markdown has no markup of others`() {
        let text = Self.broken().markdown
        #expect(text.contains("# Chaos run: invalid"))
        // Indented lines and those between two fences are code, shown as they are.
        var fence: Substring?
        let prose = text.split(separator: "\n").filter { line in
            let ticks = line.prefix { $0 == "`" }
            if let open = fence {
                if line == ticks, ticks.count >= open.count { fence = nil }
                return false
            }
            if ticks.count >= 3 { fence = ticks }
            return !line.hasPrefix("    ")
        }
        #expect(fence == nil && !prose.contains { $0.contains("<img") })
    }

    @Test func `the last line says what counts`() {
        var script = Script()
        script.line(.event, .fault, detail: ["what": "begin", "name": "kill", "target": "gateway", "number": "1"])
        script.line(.event, .fault, detail: ["what": "end", "name": "kill", "target": "gateway", "number": "1"])
        script.line(
            .event, .service, detail: ["what": "up", "service": "gateway", "recoveredMilliseconds": "1849"])
        for number in 1...1200 { script.run(.purchase, key: "k\(number)", [.of("t\(number)")]) }
        let all = (1...1200).map { ObservedTransaction.of("t\($0)") }
        script.line(.ok, .finalHistory, all)
        script.line(.ok, .finalUnfinished, all)
        script.ledger((1...1200).map { .of("purchase:t\($0)") })
        let line = "VALID  1 200 operations, 1 fault, 0 lost, 0 double charges, worst recovery 1.8 s"
        #expect(RunReport(script.entries).run.line == line)
    }

    @Test func `statistics count by outcome, in faults and out of them`() {
        var script = Script()
        script.run(.purchase, key: "a", [.of("a")])
        script.line(.event, .fault, detail: ["what": "begin", "name": "drop", "target": "bus", "number": "1"])
        script.run(.purchase, .info, key: "b")
        script.run(.purchase, key: "c", [.of("c")])
        script.line(.event, .fault, detail: ["what": "end", "name": "drop", "target": "bus", "number": "1"])
        script.run(.purchase, .info, key: "d")
        script.run(.purchase, .fail, key: "e")
        let run = RunReport(script.entries).run
        #expect(run.counts == ChaosRun.Counts(succeeded: 2, refused: 1, unknown: 2))
        #expect(run.operationKinds == [ChaosRun.OperationKind(operation: "purchase", counts: run.counts)])
        #expect(run.availability == 0.4 && run.availabilityInFaults == 0.5)
        #expect(run.latency?.answers == 2 && run.latencyInFaults?.answers == 1)
        #expect(run.latencyInFaults?.p50Milliseconds == 1000)
        // The fault ended at second 8; the last request with an unknown outcome began at second 9.
        #expect(run.faults.map(\.recoveryMilliseconds) == [1000])
    }

    @Test func `charges are set against transactions`() {
        var script = Script()
        script.run(.purchase, key: "a", [.of("a")])
        script.run(.purchase, key: "b", [.of("b", price: 0)])
        script.ledger([.of("purchase:a", refunded: 99), .of("purchase:x", "declined")])
        let money = RunReport(script.entries).run.money
        #expect(
            money == [
                ChaosRun.Money(
                    currency: "USD", transactions: 1, priced: 199, charges: 1, charged: 199, refunded: 99)
            ])
    }

    @Test(arguments: [(0.0, "0.0"), (0.05, "0.1"), (1.849, "1.8"), (-2.25, "-2.3"), (99.96, "100.0")])
    func `numbers have the decimals asked for`(value: Double, text: String) {
        #expect(ReportText.fixed(value, 1) == text)
    }

    @Test func `a directory is read and its reports are written`() throws {
        let directory = try TemporaryDirectory()
        let run = RunDirectory(directory.path + "/")
        let missing = #expect(throws: HistoryFault.self) { try run.history() }
        #expect(missing?.isMissing == true && missing?.remedy.contains("history.jsonl") == true)
        let lines = ModelStore.history(seed: 5).flatMap(HistoryWriter.line)
        try Data(lines).write(to: URL(fileURLWithPath: directory.file("history.jsonl")))
        #expect(try run.options() == RunOptions())
        try Data("[]".utf8).write(to: URL(fileURLWithPath: directory.file("options.json")))
        #expect(throws: HistoryFault.self) { try run.options() }
        let report = RunReport(try run.history())
        try run.write(report)
        for (name, text) in [
            ("md", report.markdown), ("html", report.html), ("json", report.json), ("xml", report.junit),
        ] {
            let written = try Data(contentsOf: URL(fileURLWithPath: directory.file("report.\(name)")))
            #expect(written == Data(text.utf8), "\(name)")
        }
    }
}

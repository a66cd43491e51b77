import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Chaos

/// The report of a history that was written by hand.
@Suite struct ScriptedRunTests {
    static let setup = ChaosRun.Setup(
        id: "5c1", seed: "7", app: "chaos.5c1", startedAt: Timestamp(milliseconds: 1_795_255_204_000),
        durationSeconds: 20, workload: "mix", rate: 100, customers: 8, devices: 2, driver: "process",
        targets: ["payment-queue", "catalog"], faultNames: ["kill", "pause", "drop", "delay"],
        leftOut: [
            ChaosRun.LeftOut(name: "clock-jump", reason: "needs libfaketime; install it"),
            ChaosRun.LeftOut(name: "stories", reason: "--without"),
        ], database: "SQLite",
        processes: [
            ChaosRun.Processes(service: "payment-queue", count: 2), ChaosRun.Processes(service: "catalog", count: 1),
        ], version: "0.1.0", commit: "0123abcd",
        machine: ChaosRun.Machine(cores: 2, processor: "A processor", memoryBytes: 8_589_934_592),
        command: "storebus chaos run --seed 7 --duration 20s --target payment-queue,catalog")

    /// Five purchases in calm time, a kill with a recovery, a drop that could not be injected, and a pause of a service
    /// that stays away. Three operations are declined on purpose, four fail, and one of these is sent again.
    static let script: Script = {
        var script = Script()
        script.phase("warmUp")
        for number in 1...5 { script.run(.purchase, key: "calm\(number)", [.of("c\(number)")]) }
        // Another body under a key, a parent's no, and a second decision.
        script.run(.purchase, .fail, key: "calm1", body: "another body", code: "keyReused")
        script.setStatus(422)
        script.run(.purchase, .fail, key: "asked", [.of("asked", "failed")])
        script.setStatus(201)
        script.run(.approve, .fail, code: "transactionStateInvalid", detail: ["transaction": "asked"])
        script.setStatus(409)
        script.phase("faults")
        script.fault("kill", "payment-queue", "begin", ["process": "2"])
        script.service("payment-queue", "down")
        script.run(.purchase, .info, key: "lost")
        script.run(.finish, .info, code: "unavailable", detail: ["transaction": "c1"])
        script.setStatus(503)
        script.fault("kill", "payment-queue", "end")
        script.run(.purchase, key: "slow", [.of("slow")])
        script.setMilliseconds(4_000)
        script.service("payment-queue", "restarted")
        script.service("payment-queue", "up", recovered: 4_100)
        script.run(.purchase, key: "lost", [.of("lost")])
        script.fault("drop", "catalog", "begin", ["refusal": "the broker is away"])
        script.fault("drop", "catalog", "end")
        script.fault("pause", "catalog", "begin")
        script.service("catalog", "down")
        script.run(.eligibility, .fail, code: "unauthorized")
        script.setStatus(401)
        script.fault("pause", "catalog", "end")
        script.run(.storePage, .info)
        script.phase("final")
        let all = (1...5).map { ObservedTransaction.of("c\($0)") } + [.of("slow"), .of("lost")]
        script.line(.ok, .finalHistory, all)
        script.line(.ok, .finalUnfinished, all)
        script.ledger(all.map { .of("purchase:\($0.id)") })
        return script
    }()

    static var report: RunReport { RunReport(script.entries, options: RunOptions(setup: setup)) }

    @Test func `a report in Markdown is as it was`() throws {
        #expect(try GoldenFile.difference("Tests/ChaosTests/ScriptedRun.md", Self.report.markdown) == nil)
    }

    @Test func `a report in JSON is as it was, and is read again`() throws {
        let report = Self.report
        #expect(try GoldenFile.difference("Tests/ChaosTests/ScriptedRun.json", report.json) == nil)
        #expect(try StoreJSON.decode(ChaosRun.self, from: Array(report.json.utf8)) == report.run)
    }

    @Test func `what was declined on purpose is no failure`() {
        let run = Self.report.run
        #expect(run.counts == ChaosRun.Counts(succeeded: 7, declined: 3, refused: 2, unknown: 2))
        #expect(run.steps.map(\.counts.declined).reduce(0, +) == 3)
        #expect(run.faults.map(\.refused) == [1, 0, 1] && run.faults.map(\.unknown) == [1, 0, 1])
    }

    @Test func `a fault has its process, what failed meanwhile, and its recovery`() {
        let faults = Self.report.run.faults
        #expect(faults.map(\.process) == [2, nil, nil])
        #expect(faults.map(\.retried) == [1, 0, 0] && faults.map(\.slow) == [1, 0, 0])
        #expect(
            faults.map(\.recoveryMilliseconds) == [4_100, nil, nil], "the second was not injected, the third's is away")
        #expect(faults.map(\.notInjected) == [nil, "the broker is away", nil])
        #expect(Self.report.run.line?.hasSuffix("worst recovery 4.1 s, 1 not recovered") == true)
        #expect(Self.report.run.services.map(\.restarts) == [1, 0])
        #expect(Self.report.run.services.map(\.isUp) == [true, false])
    }

    @Test func `every kind of fault was drawn, or has the reason why not`() {
        let kinds = Self.report.run.faultKinds
        #expect(kinds.map(\.fault) == FaultName.allCases.map(\.rawValue))
        #expect(kinds.allSatisfy { ($0.count == 0) == ($0.reason != nil) })
        func reason(_ fault: FaultName) -> String? { kinds.first { $0.fault == fault.rawValue }?.reason }
        #expect(reason(.kill) == nil && reason(.pause) == nil)
        #expect(reason(.drop) == "it could not be injected")
        #expect(reason(.delay) == "the seed did not draw it")
        #expect(reason(.clockJump) == "needs libfaketime; install it")
        #expect(reason(.overload) == "it was not asked for")
    }

    @Test func `the page has a colour and a word for each outcome`() {
        let html = Self.report.html
        for (style, word) in [
            ("ok", "succeeded"), ("declined", "declined on purpose"), ("refused", "refused"),
            ("info", "unknown outcome"),
        ] {
            #expect(html.contains("<i class=\"\(style)\"></i>\(word)") && html.contains("<rect class=\"\(style)\""))
            #expect(html.contains("svg .\(style){fill:var(--\(style))}"))
        }
        #expect(html.contains(Self.setup.command) && html.contains("not recovered"))
    }

    @Test func `a history that goes on has no verdict, and its fault no end`() {
        let open = Array(Self.script.entries.prefix { $0.detail?["name"] != "pause" || $0.detail?["what"] != "end" })
        let run = RunReport(open, options: RunOptions(setup: Self.setup), isOver: false).run
        #expect(run.verdict == nil && run.line == nil && run.lost == nil)
        #expect(run.invariants.map(\.invariant) == Invariant.decidedAtOnce.map(\.rawValue))
        #expect(run.faults.last?.endedAtSecond == nil && run.services.last?.faults == ["pause"])
    }
}

import ArgumentParser
import Chaos
import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What `storebus chaos` refuses before it starts anything, and how it prints a matrix.
@Suite struct ChaosCommandTests {
    @Test(arguments: [
        (["--faults", "kil"], "there is no fault 'kil'", "did you mean 'kill'?"),
        (["--faults", "meteor"], "there is no fault 'meteor'", "kill, pause, restart, drop"),
        (["--target", "payments"], "there is no service 'payments'", "broker, catalog, payment-queue"),
        (["--workload", "mixed"], "there is no workload 'mixed'", "mix, purchases, subscriptions"),
        (["--seed", "seven"], "--seed is a whole number", "not 'seven'"),
        (["--target", "catalog", "--faults", "slow-processor"], "hits payment-processor only", "add it to --target"),
        (["--data", "/nowhere/store"], "no store runs on /nowhere/store", "STOREBUS_CHAOS=1 storebus up"),
    ])
    func `unknown words are refused with what there is`(
        arguments: [String], message: String, remedy: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let (status, said) = await Recorder.run(
            ["chaos", "run", "--out", directory.file("out"), "-q"] + arguments, directory: directory.path)
        #expect(status == (arguments[0] == "--data" ? .unreachable : .usage))
        #expect(said.narration.contains(message), "\(said.narration)")
        #expect(said.narration.contains(remedy), "\(said.narration)")
    }

    @Test(arguments: [
        (["--driver", "podman"], "--driver is one of process, compose"),
        (["--project", "shop"], "--project is of --driver compose"),
        (["--driver", "compose", "--data", "x"], "are of storebus up, not of --driver compose"),
        (["--driver", "compose", "--replicas", "catalog=2"], "are of storebus up, not of --driver compose"),
        (["--driver", "compose"], "--driver compose needs docker, which is not in PATH"),
    ])
    func `a driver that does not fit is refused`(arguments: [String], message: String) async throws {
        for command in ["run", "matrix"] {
            let (status, said) = await Recorder.run(["chaos", command, "-q"] + arguments)
            #expect(status == .usage)
            #expect(said.narration.contains(message), "\(said.narration)")
        }
    }

    @Test func `faults of the bus hit what is on it, of a compose project too`() throws {
        let services = ["catalog", "postgres", "door", "nats-1"]
        #expect(FaultName.partition.targets(services) == ["catalog"])
        #expect(FaultName.kill.targets(services) == services)
        var plan = ChaosPlan(
            seed: 1, duration: .seconds(3), targets: ["postgres"], faults: [.drop], workload: .mix, directory: "/x",
            name: "n", driver: .compose)
        let error = #expect(throws: CLIError.self) { try plan.checkSchedule(isChosen: true) }
        #expect(error?.message.contains("'drop' hits broker, catalog") == true)
        plan.faults = [.kill]
        try plan.checkSchedule(isChosen: true)
    }

    @Test func `a seed and lists make a plan`() throws {
        #expect(try ChaosPlan.seed("7") == 7)
        #expect(try ChaosPlan.faults("pause,kill") == [.pause, .kill])
        #expect(try ChaosPlan.faults(nil) == FaultName.usual)
        #expect(try ChaosPlan.targets(nil, of: ["a", "b"]) == ["a", "b"])
        #expect(ChaosPlan.newName().utf8.count == 8)
    }

    @Test func `usual faults that hit no target are left out, with the reason`() throws {
        var plan = ChaosPlan(
            seed: 1, duration: .seconds(3), targets: ["catalog"], faults: FaultName.usual, workload: .mix,
            directory: "/x", name: "n")
        let before = plan.schedule
        try plan.checkSchedule(isChosen: false)
        #expect(!plan.faults.contains(.slowProcessor) && plan.faults.contains(.kill))
        #expect(plan.schedule == before)
        let left = plan.leftOut.first { $0.name == "slow-processor" }
        #expect(left?.reason == "hits payment-processor only, which is no target")
    }

    // MARK: The command that repeats a run

    private func plan(_ words: [String]) async throws -> ChaosPlan {
        let environment = CommandEnvironment(console: Recorder().console, currentDirectory: "/work")
        let command = try #require(try StorebusCommand.parseAsRoot(words) as? ChaosRunCommand)
        return try await command.chaos.plan(duration: command.duration.duration, isQuiet: false, environment)
    }

    @Test(arguments: [
        ["--seed", "7", "--faults", "kill,drop,pause"],
        ["--seed", "\(UInt64.max)", "--duration", "90s", "--faults", "delay", "--target", "payment-queue,broker"],
        ["--seed", "3", "--faults", "kill", "--workload", "offers", "--rate", "40", "--without", "stories,stores"],
        ["--seed", "3", "--faults", "kill", "--replicas", "catalog=2", "--replicas", "gateway=3", "--keep-data"],
        ["--seed", "3", "--faults", "kill", "--database-url", "postgres://me@host/a b?x=1"],
        ["--seed", "3", "--faults", "kill", "--data", "my store"],
    ])
    func `the command of a run gives the same plan again`(words: [String]) async throws {
        let first = try await plan(["chaos", "run"] + words)
        let typed = first.command.words.map(\.text)
        #expect(typed.first == "storebus")
        let again = try await plan(Array(typed.dropFirst()))
        #expect(again.schedule == first.schedule && !again.schedule.faults.isEmpty)
        func setup(_ plan: ChaosPlan) -> ChaosRun.Setup? {
            var plan = plan
            plan.name = "n"
            return plan.options(
                app: "a", startedAt: Timestamp(milliseconds: 0), database: "SQLite", processes: [],
                machine: .init(cores: 1, memoryBytes: 1), commit: nil
            ).setup
        }
        #expect(setup(again) == setup(first))
        #expect(setup(first)?.command == first.command.text)
    }

    @Test func `the command of a matrix's round is a matrix of one fault`() {
        var round = ChaosPlan(
            seed: 9, duration: .seconds(5), targets: ["catalog"], faults: [.pause], workload: .mix, directory: "/x",
            name: "n")
        round.only = PlannedFault(number: 1, name: .pause, target: "catalog", begin: .seconds(1), length: .seconds(2))
        #expect(
            round.command.text == "storebus chaos matrix --seed 8 --length 2s --target catalog --faults pause")
    }

    @Test func `an executable has the commit that its clone had when it was linked`() throws {
        let directory = try TemporaryDirectory()
        for path in [".git/logs", ".build/debug"] {
            try FileManager.default.createDirectory(
                atPath: directory.file(path), withIntermediateDirectories: true)
        }
        let executable = directory.file(".build/debug/storebus")
        func link(at time: Int) throws {
            try Data().write(to: URL(fileURLWithPath: executable))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: TimeInterval(time))], ofItemAtPath: executable)
        }
        let zero = String(repeating: "0", count: 40)
        let author = "Ann Author <ann@example.com>"
        let log = """
            \(zero) 0123456789abcdef \(author) 1000 +0000\tclone: from elsewhere
            0123456789abcdef 89abcdef01234567 \(author) 2000 -0130\tcommit: tell 9 of 10 +0000
            89abcdef01234567 fedcba9876543210 \(author) 3000 +0200\tcheckout: moving from main to 2500

            """
        try link(at: 2500)
        #expect(SourceCommit.of(executable) == nil)
        try Data(log.utf8).write(to: URL(fileURLWithPath: directory.file(".git/logs/HEAD")))
        #expect(SourceCommit.of(executable) == "89abcdef", "the clone has moved on since")
        try link(at: 3000)
        #expect(SourceCommit.of(executable) == "fedcba98")
        try link(at: 999)
        #expect(SourceCommit.of(executable) == nil)
        #expect(SourceCommit.of("/nowhere/bin/storebus") == nil)
    }

    // MARK: The terminal

    private static let services = [
        ChaosRun.Service(service: "payment-queue", restarts: 2, lastRecoveryMilliseconds: 1_849),
        ChaosRun.Service(service: "catalog", isUp: false, faults: ["kill", "delay"], restarts: 1),
    ]

    private func display(_ recorder: Recorder, _ size: TerminalSize?, isQuiet: Bool = false) -> ChaosDisplay {
        var terminal = Terminal.none
        terminal.isError = size != nil
        var environment = CommandEnvironment(console: recorder.console, terminal: terminal)
        environment.terminalSize = { size ?? .usual }
        return ChaosDisplay(environment, isQuiet: isQuiet)
    }

    @Test func `a terminal has one line a service, redrawn in place`() {
        let recorder = Recorder()
        let display = display(recorder, TerminalSize(columns: 80, rows: 24))
        display.phase("faults")
        display.note(PlannedFault(number: 1, name: .kill, target: "catalog"))
        display.show(Self.services, [.purchase: 100], at: .seconds(1))
        let first = """
            1 s  faults  100 operations, 1 fault
              service               state  per s  restarts  recovery  faults under way
              payment-queue         up     100    2         1.8 s
              catalog               AWAY   0      1         -         kill delay

            """
        #expect(recorder.narration == first)
        display.show(Self.services, [.purchase: 130, .eligibility: 4], at: .seconds(3))
        let second = String(recorder.narration.dropFirst(first.count))
        #expect(second.hasPrefix("\u{1B}[4A\u{1B}[J3 s  faults  134 operations, 1 fault\n"))
        #expect(second.contains("payment-queue         up     15     2"))
    }

    @Test func `a narrow or low terminal cuts the frame instead of wrapping it`() {
        let frame = ChaosFrame(
            elapsed: .seconds(1), phase: "faults", operations: 1, faults: 0, services: Self.services, rates: [:])
        let narrow = frame.lines(TerminalSize(columns: 20, rows: 24))
        #expect(narrow.count == 4 && narrow.allSatisfy { $0.count <= 19 })
        #expect(frame.lines(TerminalSize(columns: 80, rows: 3)).count == 2)
        #expect(frame.lines(TerminalSize(columns: 1, rows: 1)).count == 1)
    }

    @Test func `a fault that was not injected stands above the frame`() {
        let recorder = Recorder()
        let display = display(recorder, .usual)
        display.show(Self.services, [:], at: .seconds(1))
        display.refused(PlannedFault(number: 3, name: .drop, target: "catalog"), "no broker")
        display.show(Self.services, [:], at: .seconds(2))
        let said = recorder.narration
        #expect(said.contains("\u{1B}[4A\u{1B}[Jfault 3 not injected: drop catalog: no broker\n2 s"))
    }

    @Test func `without a terminal the state is a plain line, and quiet has none`() {
        let recorder = Recorder()
        let display = display(recorder, nil)
        display.phase("faults")
        display.show(Self.services, [.purchase: 50], at: .seconds(5))
        #expect(
            recorder.narration == """
                5 s  faults  50 operations, 0 faults, 10 per s  away: catalog  under way: kill catalog, delay catalog

                """)
        let silent = Recorder()
        let quiet = self.display(silent, nil, isQuiet: true)
        quiet.note(PlannedFault(number: 1, name: .kill, target: "catalog"))
        quiet.refused(PlannedFault(number: 1, name: .kill, target: "catalog"), "no process")
        #expect(silent.narration.isEmpty)
    }

    // MARK: The summary and the gateway

    @Test func `the summary names each fault and the command that repeats the run`() throws {
        let directory = try TemporaryDirectory()
        let options = ChaosPlan(
            seed: 7, duration: .seconds(20), targets: ["catalog"], faults: [.kill, .pause], workload: .mix,
            directory: directory.path, name: "n"
        ).options(
            app: "chaos.n", startedAt: Timestamp(milliseconds: 0), database: "SQLite",
            processes: [.init(service: "catalog", count: 1)], machine: .init(cores: 1, memoryBytes: 1), commit: nil)
        var entries: [HistoryEntry] = []
        func add(_ operation: HistoryEntry.Operation, _ detail: [String: String]) {
            entries.append(
                HistoryEntry(
                    index: entries.count + 1, time: Int64(entries.count + 1) * 1_000_000, process: 0, kind: .event,
                    operation: operation, detail: detail))
        }
        add(.fault, ["what": "begin", "name": "kill", "target": "catalog", "number": "1"])
        add(.fault, ["what": "end", "name": "kill", "target": "catalog", "number": "1"])
        add(.service, ["what": "up", "service": "catalog", "recoveredMilliseconds": "1849"])
        let report = RunReport(entries, options: options)
        let text = report.text(in: "out", isBrief: false)(.plain)
        #expect(text.contains("NO.  AT     LASTED      FAULT  SERVICE"))
        #expect(text.contains("1    1.0 s  an instant  kill   catalog  0 operations, none failed  1.8 s"))
        #expect(text.contains("none of pause: the seed did not draw it\n"))
        let command = "storebus chaos run --seed 7 --duration 20s --target catalog --faults kill,\\\npause\n"
        #expect(text.hasSuffix("to repeat it:\n" + command), "\(text)")
        #expect(report.text(in: "out", isBrief: true)(.plain).split(separator: "\n").count == 1)
        #expect(report.json(in: "out")["report"] == "out/report.html")
        #expect(report.json(in: "out")["faults"]?.arrayValue?.count == 1)
    }

    @Test func `the gateway is sent no more than it takes`() {
        var run = ChaosRun(phase: .ended, elapsedSeconds: 1)
        run.faults = (1...1_001).map { .init(number: $0, fault: "kill", service: "catalog", beganAtSecond: 1) }
        let long = String(repeating: "x", count: 5_000)
        run.violations = Array(
            repeating: ChaosRun.Violation(invariant: "P1", subject: long, expected: long, found: long, lines: [long]),
            count: 60)
        let cut = ChaosReporter.cut(run)
        #expect(cut.faults.count == 1_000 && cut.faults.first?.number == 2)
        #expect(cut.violations?.count == 50 && cut.violations?.first?.lines == [])
        #expect(cut.violations?.first?.found.count == 500)
    }

    @Test func `a matrix is a table, JSON and Markdown`() {
        let row = ChaosMatrixRow(
            service: "catalog", fault: "kill", verdict: "valid", isGood: true, recovery: 1_249, availability: 0.9949,
            operations: 410)
        let result = ChaosMatrixRow.result([row])
        #expect(result.text(.plain).contains("catalog  kill   valid    1.2 s           99.4 %        410"))
        #expect(result.data.arrayValue?.first?["worstRecoveryMilliseconds"]?.intValue == 1_249)
        #expect(ChaosMatrixRow.markdown([row]).contains("| catalog | kill | valid | 1.2 s | 99.4 % | 410 |\n"))
    }

    @Test func `a response of an unknown outcome is info, a rejection is fail`() {
        #expect(ChaosClient.kind(ofStatus: 503, nil) == .info)
        #expect(ChaosClient.kind(ofStatus: 409, "inFlight") == .info)
        #expect(ChaosClient.kind(ofStatus: 422, "requestInvalid") == .fail)
    }
}

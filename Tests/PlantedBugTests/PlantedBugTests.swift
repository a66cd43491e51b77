import Foundation
import StoreModels
import StorebusTesting
import Testing

/// Goal: `storebus chaos run` finds each planted bug on its seed, and nothing where there is none (ADR 0038).
/// Method: a run against a store whose processes have the bug, on a fixed seed and no longer than the bug needs. Its
/// report names an invariant that the bug breaks. Then the same runs without a bug. `make planted-bugs` has all of them,
/// another run those that the simulation does not find.
@Suite(.serialized, .process) struct PlantedBugTests {
    /// What a run does besides its seed.
    struct Setting: Hashable, Sendable {
        var workload: String
        var faults: String
        var target: String
        var duration = "3s"
        /// Operations a second.
        var rate = 100
    }

    struct Planted: Sendable {
        var bug: String
        var seed: Int
        var setting: Setting
        /// The invariants one of which has to be found broken.
        var invariants: Set<String>
        /// Whether the simulation finds it in each run of the tests, in a second.
        var isSimulated = false
    }

    /// Those that only processes show, unless all are asked for.
    private static var chosen: [Planted] {
        let isAll = ProcessInfo.processInfo.environment["STOREBUS_PLANTED"] == "all"
        return planted.filter { isAll || !$0.isSimulated }
    }

    /// A little trouble on the side, for mistakes that show without.
    private static let purchases = Setting(workload: "purchases", faults: "delay", target: "catalog")
    private static let subscriptions = Setting(
        workload: "subscriptions", faults: "delay", target: "catalog", duration: "6s")
    private static let repeats = Setting(workload: "repeats", faults: "delay", target: "catalog")
    private static let offers = Setting(workload: "offers", faults: "delay", target: "catalog", duration: "6s")
    private static let crashes = Setting(
        workload: "purchases", faults: "kill", target: "payment-queue", duration: "5s")
    private static let lostCharges = Setting(
        workload: "purchases", faults: "drop", target: "payment-processor", duration: "8s")
    /// So few that a store's rows are often the last of their tables.
    private static let stores = Setting(
        workload: "purchases", faults: "delay", target: "catalog", duration: "8s", rate: 4)
    private static let strangers = Setting(
        workload: "purchases", faults: "hostile-clients", target: "gateway", duration: "10s", rate: 30)
    private static let lostHints = Setting(
        workload: "purchases", faults: "drop", target: "gateway", duration: "5s")

    static let planted: [Planted] = [
        Planted(
            bug: "acknowledge-before-commit", seed: 1, setting: crashes,
            invariants: ["P1", "P3", "P4", "P7", "P9", "Q3", "Q5"], isSimulated: true),
        Planted(bug: "no-deduplication", seed: 2, setting: purchases, invariants: ["P3"], isSimulated: true),
        Planted(bug: "check-then-insert", seed: 3, setting: repeats, invariants: ["P3"], isSimulated: true),
        Planted(bug: "finish-not-persisted", seed: 4, setting: purchases, invariants: ["Q3"], isSimulated: true),
        Planted(
            bug: "journal-row-missing", seed: 5, setting: subscriptions, invariants: ["Q2", "Q6"], isSimulated: true),
        Planted(bug: "gap-in-seq", seed: 6, setting: lostHints, invariants: ["Q2", "Q6"]),
        Planted(bug: "strangers-event", seed: 7, setting: purchases, invariants: ["P11"]),
        Planted(
            bug: "renewal-without-unique-row", seed: 8, setting: subscriptions, invariants: ["P2"], isSimulated: true),
        Planted(bug: "offer-claimed-twice", seed: 9, setting: offers, invariants: ["O1"], isSimulated: true),
        Planted(bug: "intent-paid-twice", seed: 10, setting: repeats, invariants: ["I3"], isSimulated: true),
        Planted(bug: "cached-eligibility", seed: 11, setting: offers, invariants: ["O2"]),
        Planted(
            bug: "charge-under-new-key", seed: 12, setting: lostCharges, invariants: ["P2", "P3"], isSimulated: true),
        Planted(bug: "notification-made-twice", seed: 13, setting: purchases, invariants: ["N1"]),
        Planted(bug: "positions-reused", seed: 14, setting: stores, invariants: ["N1", "N2"]),
        Planted(bug: "scope-dropped", seed: 15, setting: stores, invariants: ["X1"]),
        Planted(bug: "halves-hold-places", seed: 16, setting: strangers, invariants: ["H1"]),
        Planted(bug: "revocation-left-out", seed: 17, setting: subscriptions, invariants: ["T1"]),
        Planted(bug: "settings-of-every-store", seed: 18, setting: subscriptions, invariants: ["X1"]),
    ]

    @Test func `each planted bug is found on its seed`() async throws {
        let names = try await Self.namesOfBugs()
        #expect(Set(Self.planted.map(\.bug)) == Set(names), "each bug has its row")
        let rows = try await Self.all(Self.chosen) { planted in
            (planted, try await Self.search(planted))
        }
        print("| bug | seed | workload, faults | broken invariants | found after |\n|---|---|---|---|---|")
        for (planted, result) in rows.sorted(by: { $0.0.seed < $1.0.seed }) {
            let setting = planted.setting
            print(
                "| `\(planted.bug)` | \(planted.seed) | \(setting.workload), \(setting.faults) of \(setting.target) | "
                    + "\(result.broken.joined(separator: ", ")) | \(result.took.formatted(.units(allowed: [.seconds]))) |"
            )
            #expect(result.verdict == "invalid", "\(planted.bug): \(result.line)")
            #expect(
                !planted.invariants.isDisjoint(with: result.broken),
                "\(planted.bug) broke \(result.broken), none of \(planted.invariants)")
        }
    }

    @Test func `the same runs without a bug are valid`() async throws {
        var seeds: [Setting: Int] = [:]
        for planted in Self.chosen { seeds[planted.setting] = planted.seed }
        // Alone: an honest request that waits for a core looks as one that hostile clients have kept out.
        let crowded = seeds.removeValue(forKey: Self.strangers)
        var results = try await Self.all(Array(seeds)) { ($0.key, try await Self.run($0.key, seed: $0.value)) }
        results.append((Self.strangers, try await Self.run(Self.strangers, seed: try #require(crowded))))
        for (setting, result) in results {
            #expect(result.verdict == "valid", "\(setting): \(result.line)\n\(result.details)")
        }
    }

    @Test func `an unknown bug does not start`() async throws {
        let (status, said) = try await Self.storebus(
            ["up", "--port", "auto", "--bus-port", "auto"], bug: "no-such-bug")
        #expect(status != 0)
        #expect(said.contains("there is no bug 'no-such-bug'"), "\(said)")
    }

    // MARK: Runs

    private struct Result: Sendable {
        var verdict: String
        var line: String
        /// Invariants that were broken, as the report orders them.
        var broken: [String]
        /// Violations and gaps, for a run that should have none.
        var details: String
        var took: Duration
    }

    /// Runs at the same time. They mostly wait, and a store of each is small.
    private static let concurrency = 3

    private static func all<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], _ run: @escaping @Sendable (Input) async throws -> Output
    ) async throws -> [Output] {
        try await withThrowingTaskGroup(of: Output.self) { group in
            var outputs: [Output] = []
            for (number, input) in inputs.enumerated() {
                if number >= concurrency, let output = try await group.next() { outputs.append(output) }
                group.addTask { try await run(input) }
            }
            for try await output in group { outputs.append(output) }
            return outputs
        }
    }

    /// Runs until the bug is found, three times at most. A seed draws the work and the faults, and the processes' races
    /// decide how often a customer comes to a bug's place: some runs have none.
    private static func search(_ planted: Planted) async throws -> Result {
        var result = try await run(planted.setting, seed: planted.seed, bug: planted.bug)
        for _ in 2...3 where planted.invariants.isDisjoint(with: result.broken) {
            result = try await run(planted.setting, seed: planted.seed, bug: planted.bug)
        }
        return result
    }

    private static func run(_ setting: Setting, seed: Int, bug: String? = nil) async throws -> Result {
        let directory = try TemporaryDirectory(prefix: "storebus-planted")
        let out = directory.file("run")
        let start = ContinuousClock.now
        let (status, said) = try await storebus(
            [
                "chaos", "run", "--seed", "\(seed)", "--duration", setting.duration,
                "--rate", "\(setting.rate)", "--workload", setting.workload, "--faults", setting.faults, "--target",
                setting.target, "--out", out,
                "--quiet",
            ], bug: bug)
        let took = ContinuousClock.now - start
        guard let text = try? String(contentsOfFile: "\(out)/report.json", encoding: .utf8) else {
            throw StackError("\(bug ?? "no bug"), seed \(seed): no report, status \(status): \(said)")
        }
        let report = try StrictJSON.parse(Array(text.utf8))
        let violations = report["violations"]?.arrayValue ?? []
        var broken: [String] = []
        for name in violations.compactMap({ $0["invariant"]?.stringValue }) where !broken.contains(name) {
            broken.append(name)
        }
        let details = violations.prefix(3).map { violation in
            ["invariant", "subject", "expected", "found"].compactMap { violation[$0]?.stringValue }.joined(
                separator: "; ")
        }
        return Result(
            verdict: report["verdict"]?.stringValue ?? "", line: report["line"]?.stringValue ?? said, broken: broken,
            details: (details + (report["gaps"]?.arrayValue ?? []).compactMap(\.stringValue) + [said])
                .joined(separator: "\n"), took: took)
    }

    /// The names that a service lists when it is given an unknown one.
    private static func namesOfBugs() async throws -> [String] {
        let (_, said) = try await storebus(["up", "--port", "auto", "--bus-port", "auto"], bug: "?")
        let list = said.split(separator: "they are ").last?.prefix { $0 != "\n" && $0 != "\"" } ?? ""
        return list.split(separator: ", ").map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Runs the command line until it ends.
    private static func storebus(_ arguments: [String], bug: String?) async throws -> (status: Int32, said: String) {
        let directory = try TemporaryDirectory(prefix: "storebus-planted")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Executables.path(of: "storebus"))
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        process.environment = ProcessInfo.processInfo.environment.merging(
            bug.map { ["STOREBUS_PLANTED_BUG": $0] } ?? [:]
        ) { $1 }
        process.standardInput = FileHandle.nullDevice
        let said = directory.file("said")
        try Data().write(to: URL(fileURLWithPath: said))
        process.standardOutput = FileHandle(forWritingAtPath: said)
        process.standardError = FileHandle(forWritingAtPath: said)
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return (status, (try? String(contentsOfFile: said, encoding: .utf8)) ?? "")
    }
}

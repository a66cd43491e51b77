import Foundation
import StorebusTesting
import Testing

/// Goal: no order of steps, crash or lost message breaks a rule of the money path.
/// Method: the payment queue and the processor run on one thread, in an order that a seed decides
/// (docs/simulation.md). Planted bugs show that the checks find something.
@Suite(.serialized) struct SimulationTests {
    /// A bug of the money path, and the rules one of which it breaks.
    struct Planted: Sendable {
        let bug: String
        let rules: Set<String>
    }

    static let planted = [
        Planted(bug: "acknowledge-before-commit", rules: ["P1", "P2", "P3", "Q2", "Q3"]),
        Planted(bug: "no-deduplication", rules: ["P3"]),
        Planted(bug: "check-then-insert", rules: ["P3"]),
        Planted(bug: "finish-not-persisted", rules: ["Q3"]),
        Planted(bug: "journal-row-missing", rules: ["Q2"]),
        Planted(bug: "renewal-without-unique-row", rules: ["S1", "P2"]),
        Planted(bug: "offer-claimed-twice", rules: ["O1"]),
        Planted(bug: "intent-paid-twice", rules: ["I3"]),
        Planted(bug: "charge-under-new-key", rules: ["P2"]),
    ]
    /// Seeds of `make test`.
    private static let seeds: ClosedRange<UInt64> = 1...12
    /// The steps within which each planted bug is found.
    private static let stepsToFind = 150_000

    private static let environment = ProcessInfo.processInfo.environment
    /// The time for which `make simulate` looks for a violation, in seconds.
    private static let seconds = environment["STOREBUS_SIMULATE"].flatMap(Int.init)
    private static let bug = environment["STOREBUS_PLANTED_BUG"]

    @Test(.slow, .enabled(if: bug == nil))
    func `fixed seeds keep all rules`() async {
        var (steps, answered) = (0, 0)
        for seed in Self.seeds {
            let run = await SimulationRun(SimulatedHistory(seed: seed))
            await Self.expectNoViolation(run)
            (steps, answered) = (steps + run.steps, answered + run.answered)
        }
        print("simulation: \(Self.seeds.count) seeds, \(steps) steps, \(answered) keys answered")
        #expect(answered > 5 * Self.seeds.count, "so few purchases end that little is tested")
    }

    /// Sets and dictionaries are in one order only with that variable, which `scripts/test` sets.
    @Test(.slow, .enabled(if: bug == nil && environment["SWIFT_DETERMINISTIC_HASHING"] != nil))
    func `a seed repeats each step`() async {
        let history = SimulatedHistory(seed: 1_001)
        let (first, second) = (await SimulationRun(history), await SimulationRun(history))
        #expect(first.digest == second.digest)
        #expect(first.steps == second.steps)
        let other = await SimulationRun(SimulatedHistory(seed: 1_002))
        #expect(first.digest != other.digest)
    }

    @Test(.slow, .enabled(if: bug == nil))
    func `each planted bug is found`() async throws {
        print("| bug | broken rule | seed | steps |\n|---|---|---|---|")
        for planted in Self.planted {
            let said = try await Self.huntInAnotherProcess(planted.bug)
            let line = said.split(separator: "\n").first { $0.hasPrefix("hunt: ") } ?? ""
            let words = line.split(separator: " ").dropFirst().map { String($0) }
            let rule = words.first ?? "none"
            #expect(planted.rules.contains(rule), "\(planted.bug): \(rule); \(said.suffix(2_000))")
            print("| `\(planted.bug)` | \(words.joined(separator: " | ")) |")
        }
    }

    /// Looks for the bug that this process has. A process has one from its start, so the test above starts one for each.
    @Test(.enabled(if: bug != nil))
    func hunt() async {
        var (seed, steps): (UInt64, Int) = (0, 0)
        while steps < Self.stepsToFind {
            seed += 1
            let run = await SimulationRun(SimulatedHistory(seed: seed))
            steps += run.steps
            guard let violation = run.violation else { continue }
            print("\nhunt: \(violation.rule) \(seed) \(steps)")
            return print(violation.text)
        }
    }

    /// `make simulate`: seeds from `STOREBUS_SEED` on, for a time. At least one is run.
    @Test(.enabled(if: seconds != nil))
    func soak() async {
        let end = ContinuousClock.now + .seconds(Self.seconds ?? 0)
        var seed = Self.environment["STOREBUS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 1..<1 << 32)
        var count = 0
        repeat {
            let run = await SimulationRun(SimulatedHistory(seed: seed))
            if run.violation != nil { return await Self.expectNoViolation(run) }
            (seed, count) = (seed + 1, count + 1)
        } while ContinuousClock.now < end
        print("simulation: \(count) seeds up to \(seed - 1) break no rule")
    }

    /// Reports a violation with the smallest history that was found for it.
    private static func expectNoViolation(_ run: SimulationRun) async {
        guard run.violation != nil else { return }
        let smallest = await run.shrunk()
        print("\(run.description)\n\nThe smallest history of seed \(run.history.seed):\n\(smallest.description)")
        Issue.record("\(smallest.description)")
    }

    /// Runs ``hunt()`` in a process that has a bug.
    /// - Returns: What it has printed.
    private static func huntInAnotherProcess(_ bug: String) async throws -> String {
        let directory = try TemporaryDirectory(prefix: "storebus-hunt")
        let said = directory.file("said")
        try Data().write(to: URL(fileURLWithPath: said))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--testing-library", "swift-testing", "--filter", #"^Simulation\..*hunt\("#]
        process.environment = environment.merging(
            ["STOREBUS_PLANTED_BUG": bug, "SWIFT_DETERMINISTIC_HASHING": "1"]
        ) { $1 }
        process.standardInput = FileHandle.nullDevice
        // One handle, so that neither writes over the other.
        let output = FileHandle(forWritingAtPath: said)
        (process.standardOutput, process.standardError) = (output, output)
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return try String(contentsOfFile: said, encoding: .utf8)
    }
}

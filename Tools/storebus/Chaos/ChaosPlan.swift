import Chaos
import StoreModels

/// The plan of a run.
struct ChaosPlan: Sendable {
    var seed: UInt64
    var duration: Duration
    var targets: [String]
    var faults: [FaultName]
    /// Usual faults that are left out, each with the reason: `disk-full: needs …`.
    var missing: [String] = []
    var workload: Workload
    /// The other parts of the run.
    var parts = Set(RunPart.allCases)
    /// Absolute.
    var directory: String
    /// Distinguishes the run's app and accounts from those of another run on the same store.
    var name: String
    var workers = 16
    /// Operations a second, of all workers together.
    var rate = 100
    var accounts = 8
    var devicesEach = 2
    var driver = DriverName.process
    /// The one fault of a matrix's round, or nil for a seeded schedule.
    var only: PlannedFault?

    /// The least time between two operations of one worker.
    var interval: Duration { .milliseconds(1_000 * workers / rate) }

    var schedule: Schedule {
        only.map { Schedule([$0]) }
            ?? Schedule(seed: seed, duration: duration, targets: targets, faults: faults)
    }

    /// `options.json`.
    var options: JSONValue {
        .object([
            "seed": .string("\(seed)"), "duration": .string(TimeLimit(duration).description),
            "driver": .string(driver.rawValue), "workload": .string(workload.rawValue),
            "targets": .array(targets.map { .string($0) }), "faults": .array(faults.map { .string($0.rawValue) }),
            "missingFaults": .array(missing.map { .string($0) }),
            "version": .string(StorebusVersion.number), "products": ChaosCatalog.json,
            "operations": .array(operations.map { .string($0.rawValue) }),
        ])
    }

    /// The classes that the run has to exercise.
    private var operations: [HistoryEntry.Operation] {
        workload.operations + RunPart.allCases.filter(parts.contains).flatMap(\.operations)
    }

    func writeOptions() throws(CLIError) {
        try FileAccess.write(
            Array((JSONText.line(options) + "\n").utf8), to: "\(directory)/\(RunDirectory.optionsName)", mode: 0o644)
    }

    /// Eight hexadecimal digits.
    static func newName() -> String {
        let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// - Throws: `usage` when no fault fits a service, before anything is started.
    func checkSchedule(isChosen: Bool) throws(CLIError) {
        let services = driver == .compose ? ServiceList.services + ComposeProject.infrastructure : ServiceList.services
        for fault in faults where fault.targets(services).allSatisfy({ !targets.contains($0) }) {
            // Of the usual faults some fit one service only.
            guard !isChosen else {
                throw CLIError(
                    .usage,
                    "the fault '\(fault.rawValue)' hits \(fault.targets(services).joined(separator: ", ")) only",
                    hints: ["add it to --target, or leave the fault out"])
            }
        }
    }

    /// Leaves out usual faults whose means are missing, and remembers them.
    /// - Parameter isChosen: Whether the command line names the faults. If it does, a missing one is refused.
    /// - Throws: `usage` with the name, the reason and the remedy.
    mutating func dropMissing(
        _ store: ChaosMeans.Store, isChosen: Bool, probe: ChaosMeans.Probe = .machine
    ) throws(CLIError) {
        var present: [FaultName] = []
        for fault in faults {
            guard let reason = ChaosMeans.missing(fault, store, probe: probe) else {
                present.append(fault)
                continue
            }
            guard !isChosen else {
                throw CLIError(
                    .usage, "the fault '\(fault.rawValue)' \(reason.reason)",
                    hints: [reason.remedy, "or leave the fault out"])
            }
            missing.append("\(fault.rawValue): \(reason.reason); \(reason.remedy)")
        }
        faults = present
    }

    // MARK: Words of the command line

    /// Reads names of services.
    /// - Throws: `usage` with the list of services.
    static func targets(_ text: String?, of services: [String]) throws(CLIError) -> [String] {
        try names("service", text, known: services, usual: nil)
    }

    static func faults(_ text: String?) throws(CLIError) -> [FaultName] {
        try names(
            "fault", text, known: FaultName.rawValues, usual: FaultName.usual.map(\.rawValue)
        ).compactMap(FaultName.init(rawValue:))
    }

    /// - Parameter without: Names of parts to leave out.
    static func parts(without text: String?) throws(CLIError) -> Set<RunPart> {
        let names = try names("part of a run", text, known: RunPart.rawValues, usual: [])
        return Set(RunPart.allCases).subtracting(names.compactMap(RunPart.init(rawValue:)))
    }

    static func workload(_ text: String) throws(CLIError) -> Workload {
        let word = try names("workload", text, known: Workload.rawValues, usual: nil).first
        return word.flatMap(Workload.init(rawValue:)) ?? .mix
    }

    /// - Throws: `usage` for a seed that is not a number.
    static func seed(_ text: String?) throws(CLIError) -> UInt64 {
        guard let text else { return UInt64.random(in: 0..<1_000_000) }
        guard let seed = UInt64(text) else {
            throw CLIError(
                .usage, "--seed is a whole number from 0 to \(UInt64.max), not '\(text)'",
                hints: ["for example --seed 7"])
        }
        return seed
    }

    static func names(
        _ kind: String, _ text: String?, known: [String], usual: [String]? = nil
    ) throws(CLIError) -> [String] {
        do throws(NameList.Unknown) {
            return try NameList.parse(text, known: known, usual: usual)
        } catch {
            let near = Suggestion.hints(for: error.name, among: known)
            throw CLIError(
                .usage, "there is no \(kind) '\(error.name)'",
                hints: near + ["they are \(known.joined(separator: ", "))"])
        }
    }
}

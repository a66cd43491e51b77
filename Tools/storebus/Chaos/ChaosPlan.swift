import Chaos
import FoundationEssentials
import Glibc
import StoreHTTP
import StoreModels

/// The plan of a run.
struct ChaosPlan: Sendable {
    var seed: UInt64
    var duration: Duration
    var targets: [String]
    var faults: [FaultName]
    /// Usual faults and parts that are left out, each with the reason.
    var leftOut: [ChaosRun.LeftOut] = []
    var workload: Workload
    /// The other parts of the run.
    var parts = Set(RunPart.allCases)
    /// Absolute.
    var directory: String
    /// Distinguishes the run's app and accounts from those of another run on the same store.
    var name: String
    var workers = 16
    /// Operations a second, of all workers together.
    var rate = ChaosPlan.usualRate
    var accounts = 8
    var devicesEach = 2
    var driver = DriverName.process
    /// The services that the command may name as targets.
    var services = ServiceList.services
    /// The options that name the store, as typed: `--data DIR`.
    var storeArguments: [(option: String, value: String?)] = []
    /// The one fault of a matrix's round, or nil for a seeded schedule.
    var only: PlannedFault?

    /// The least time between two operations of one worker.
    var interval: Duration { .milliseconds(1_000 * workers / rate) }

    var schedule: Schedule {
        only.map { Schedule([$0]) }
            ?? Schedule(seed: seed, duration: duration, targets: targets, faults: faults)
    }

    /// The command that repeats the run: the same faults at the same moments.
    ///
    /// A matrix's round is a matrix of one service and one fault.
    var command: ShellCommand {
        var command: ShellCommand = only == nil ? "storebus chaos run" : "storebus chaos matrix"
        // A round adds its number to the seed of its matrix, and three seconds to the length of its fault.
        command.add("--seed", "\(only == nil ? seed : seed &- 1)")
        if only == nil {
            command.add("--duration", TimeLimit(duration).description)
        } else {
            command.add("--length", TimeLimit(duration - .seconds(3)).description)
        }
        if targets != services { command.add("--target", targets.joined(separator: ",")) }
        if faults != FaultName.usual { command.add("--faults", faults.map(\.rawValue).joined(separator: ",")) }
        if workload != .mix { command.add("--workload", workload.rawValue) }
        let without = RunPart.allCases.filter { !parts.contains($0) }.map(\.rawValue)
        if !without.isEmpty { command.add("--without", without.joined(separator: ",")) }
        if rate != Self.usualRate { command.add("--rate", "\(rate)") }
        for (option, value) in storeArguments {
            if let value { command.add(option, value) } else { command.add(option) }
        }
        return command
    }

    /// Operations a second of a command without `--rate`.
    static let usualRate = 100

    /// `options.json`.
    /// - Parameters:
    ///   - app: The bundle identifier of the run's app.
    ///   - processes: The services of the store, with the number of their processes.
    func options(
        app: String, startedAt: Timestamp, database: String, processes: [ChaosRun.Processes],
        machine: ChaosRun.Machine = .here, commit: String? = SourceCommit.ofExecutable()
    ) -> RunOptions {
        RunOptions(
            setup: ChaosRun.Setup(
                id: name, seed: "\(seed)", app: app, startedAt: startedAt,
                durationSeconds: Double(duration.milliseconds) / 1000, workload: workload.rawValue, rate: rate,
                customers: accounts, devices: devicesEach, driver: driver.rawValue, targets: targets,
                faultNames: faults.map(\.rawValue), leftOut: leftOut, database: database, processes: processes,
                version: StorebusVersion.number, commit: commit, machine: machine, command: command.text),
            operations: workload.operations + RunPart.allCases.filter(parts.contains).flatMap(\.operations),
            products: ChaosCatalog.products)
    }

    /// Eight hexadecimal digits.
    static func newName() -> String {
        let digits = String(UInt32.random(in: 0 ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Leaves out usual faults that hit none of the targets.
    /// - Parameter isChosen: Whether the command line names the faults. If it does, such a fault is refused.
    /// - Throws: `usage`, before anything is started.
    mutating func checkSchedule(isChosen: Bool) throws(CLIError) {
        let services = driver == .compose ? ServiceList.services + ComposeProject.infrastructure : ServiceList.services
        let targets = targets
        for fault in faults where fault.targets(services).allSatisfy({ !targets.contains($0) }) {
            let hit = fault.targets(services).joined(separator: ", ")
            guard !isChosen else {
                throw CLIError(
                    .usage, "the fault '\(fault.rawValue)' hits \(hit) only",
                    hints: ["add it to --target, or leave the fault out"])
            }
            leftOut.append(ChaosRun.LeftOut(name: fault.rawValue, reason: "hits \(hit) only, which is no target"))
        }
        faults.removeAll { fault in fault.targets(services).allSatisfy { !targets.contains($0) } }
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
            leftOut.append(
                ChaosRun.LeftOut(name: fault.rawValue, reason: "\(reason.reason); \(reason.remedy)"))
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

extension ChaosRun.Machine {
    /// The machine of this process.
    static var here: ChaosRun.Machine {
        let lines = (FileAccess.text("/proc/cpuinfo") ?? "").split(separator: "\n")
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":", maxSplits: 1).last
        let process = ProcessInfo.processInfo
        return ChaosRun.Machine(
            cores: process.activeProcessorCount, processor: name.map { String($0.drop { $0 == " " }) },
            memoryBytes: Int(process.physicalMemory))
    }
}

/// The commit from which an executable in a clone of the repository was built.
enum SourceCommit {
    /// Digits of a commit that are shown.
    private static let digits = 8

    /// Reads the commit of the running executable, such as `.build/debug/storebus`.
    /// - Returns: Nil for an executable outside of a clone.
    static func ofExecutable() -> String? {
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else {
            return nil
        }
        return of(path)
    }

    /// Reads the commit that the clone around an executable had when the executable was linked.
    ///
    /// Git logs each change of a clone's `HEAD` with its time, and the linker has written the file's time.
    /// - Parameter path: The absolute path of an executable.
    static func of(_ path: String) -> String? {
        guard let linked = FileAccess.status(path)?.st_mtim.tv_sec else { return nil }
        var directory = path
        while let slash = directory.lastIndex(of: "/") {
            directory = String(directory[..<slash])
            guard FileAccess.status("\(directory)/.git") != nil else { continue }
            // Another work tree of a clone has a file there, and its log elsewhere.
            guard let log = FileAccess.text("\(directory)/.git/logs/HEAD") else { return nil }
            return log.split(separator: "\n").last { time(of: $0).map { $0 <= linked } ?? false }
                .flatMap { $0.split(separator: " ").dropFirst().first }.map { String($0.prefix(digits)) }
        }
        return nil
    }

    /// Reads a line's time, in seconds since 1970: `<old> <new> Ann <ann@example.com> 1767225600 +0000⇥commit: …`.
    private static func time(of line: Substring) -> Int? {
        line.prefix { $0 != "\t" }.split(separator: " ").dropLast().last.flatMap { Int($0) }
    }
}

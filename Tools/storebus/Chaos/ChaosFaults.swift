import BusClient
import Chaos
import Glibc
import StoreModels

/// Faults that are injected into a running store by hand.
enum ChaosFaults {
    /// A fault in force.
    struct Entry: Hashable, Sendable, Encodable {
        var fault: String
        var target: String
        /// The rule of the bus, or the process.
        var detail: String
    }

    /// Lists the rules of the broker and the stopped processes.
    static func list(_ bus: any BusClient, _ context: CommandContext) async throws(CLIError) -> [Entry] {
        let stopped = stopped(context.directory)
        // A stopped broker says nothing of its rules.
        let rules =
            stopped.contains { $0.service == "broker" }
            ? [] : try await BusFaults.askPatiently(bus, "LIST")["rules"]?.arrayValue ?? []
        return rules.map { rule in
            let words = ["from", "to", "p", "ms"].compactMap { name in rule[name].map { "\(name) \(JSONText.line($0))" }
            }
            return Entry(
                fault: rule["action"]?.stringValue ?? "?",
                target: rule["to"]?.stringValue ?? rule["from"]?.stringValue ?? "broker",
                detail: ([rule["match"]?.stringValue ?? "?"] + words).joined(separator: " "))
        } + stopped.map { Entry(fault: "pause", target: $0.service, detail: "pid \($0.pid)") }
    }

    static func add(
        _ fault: FaultName, _ service: String, _ bus: any BusClient, _ context: CommandContext
    ) async throws(CLIError) {
        switch fault.means {
        case .signal:
            let signals: [FaultName: Int32] = [.kill: SIGKILL, .restart: SIGTERM, .pause: SIGSTOP]
            guard let signal = signals[fault],
                let pid = processes(context.directory).first(where: { $0.service == service })?.pid
            else {
                throw CLIError(
                    .usage,
                    "the fault '\(fault.rawValue)' needs the process of \(service), which does not run on this machine",
                    hints: ["name the store's data directory: --data DIR"])
            }
            guard kill(pid, signal) == 0 else {
                throw CLIError(
                    .notConfirmed, "cannot signal \(service), pid \(pid): \(FileAccess.systemReason)",
                    hints: ["run it as the user of the store"])
            }
        default:
            try await change(bus) { $0 + (fault.busFault?.rules(at: service) ?? []) }
        }
    }

    /// Takes one fault of a service back.
    static func remove(
        _ fault: FaultName, _ service: String, _ bus: any BusClient, _ context: CommandContext
    ) async throws(CLIError) {
        if let fault = fault.busFault {
            try await change(bus) { fault.removed(from: $0, at: service) }
        } else {
            for process in stopped(context.directory) where process.service == service { kill(process.pid, SIGCONT) }
        }
    }

    /// Changes the rules of the broker. `SET` replaces all, so those in force are sent along.
    private static func change(
        _ bus: any BusClient, _ body: ([BusRule]) -> [BusRule]
    ) async throws(CLIError) {
        let reply = try await BusFaults.askPatiently(bus, "LIST")
        guard let bytes = try? StoreJSON.encode(reply),
            let inForce = try? StoreJSON.decode(BusRulesInForce.self, from: bytes)
        else { throw CLIError(.answerInvalid, "the broker's answer has no rules") }
        let rules = body(inForce.rules.map(\.withoutCounters))
        _ = try await BusFaults.askPatiently(
            bus, "SET", BusRuleSet(seed: .random(in: 0...UInt64.max), rules: rules))
    }

    /// Lets stopped processes go on.
    static func resumeFrozen(_ directory: DataDirectory?) {
        for process in stopped(directory) { kill(process.pid, SIGCONT) }
    }

    private static func processes(_ directory: DataDirectory?) -> [(service: String, pid: Int32)] {
        guard let directory, let record = RunRecord.read(directory) else { return [] }
        let all = [ServiceInstance(service: ServiceList.broker)] + record.instances
        return all.compactMap { instance in
            FileAccess.text(directory.pidFile(instance.name)).flatMap { Int32($0) }.map { (instance.service, $0) }
        }
    }

    /// Processes that the kernel has stopped: state T.
    private static func stopped(_ directory: DataDirectory?) -> [(service: String, pid: Int32)] {
        processes(directory).filter { process in
            // The state follows the name, which is in parentheses and may contain any of them.
            let text = FileAccess.text("/proc/\(process.pid)/stat") ?? ""
            guard let end = text.lastIndex(of: ")") else { return false }
            return text[end...].dropFirst(2).first == "T"
        }
    }

    static func result(_ entries: [Entry]) -> CommandResult {
        CommandResult(entries, ["fault", "target", "detail"], named: \.target, ifEmpty: "no faults") {
            [$0.fault, $0.target, $0.detail]
        }
    }
}

extension BusFaults {
    /// Time for a response that the rules in force may hit.
    private static let timeout = Duration.seconds(10)

    /// Asks again until a response comes. A repeated request changes nothing.
    /// - Throws: `usage` for a broker without the fault injector.
    static func askPatiently(
        _ bus: any BusClient, _ verb: String, _ rules: BusRuleSet? = nil
    ) async throws(CLIError) -> JSONValue {
        try bus.requireSystemSubjects()
        do throws(CLIError) {
            return try await Retry.run(until: .now + timeout) { () throws(CLIError) in
                try await ask(bus, verb, rules, timeout: .seconds(1))
            }
        } catch {
            guard error.status == .notAllowed || error.code.name == CLIErrorCode.noResponders.name else { throw error }
            throw CLIError(
                .busRefused, "the broker of this store takes no faults",
                hints: ["start the store with its fault injector: STOREBUS_CHAOS=1 storebus up"])
        }
    }
}

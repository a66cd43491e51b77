import Chaos
import EventLoop

/// Shows a run while it goes on. A terminal has one line a service, which renews itself. Other outputs get plain lines.
final class ChaosDisplay: Sendable {
    private let console: Console
    private let isTerminal: Bool
    private let isQuiet: Bool
    private let shown = Locked((phase: "", faults: 0, lines: 0))

    private static let interval = Duration.milliseconds(500)
    /// Of plain lines.
    private static let plainInterval = Duration.seconds(5)

    init(_ environment: CommandEnvironment, isQuiet: Bool) {
        console = environment.console
        isTerminal = environment.terminal.isError && !environment.terminal.isDumb
        self.isQuiet = isQuiet
    }

    func phase(_ name: String) { shown.withLock { $0.phase = name } }

    func note(_ fault: PlannedFault) {
        shown.withLock { $0.faults += 1 }
        guard !isTerminal, !isQuiet else { return }
        console.narrate("fault \(fault.number): \(fault.name.rawValue) \(fault.target)\n")
    }

    /// Says that a fault could not be injected, on terminals too.
    func refused(_ fault: PlannedFault, _ reason: String) {
        guard !isQuiet else { return }
        let up = isTerminal ? "\r\u{1B}[K" : ""
        console.narrate("\(up)fault \(fault.number) not injected: \(fault.name.rawValue) \(fault.target): \(reason)\n")
    }

    /// Shows the state until the task is cancelled.
    func run(_ monitor: ChaosMonitor, _ world: ChaosWorld, _ start: ContinuousClock.Instant) async {
        guard !isQuiet else { return }
        let interval = isTerminal ? Self.interval : Self.plainInterval
        var before: [HistoryEntry.Operation: Int] = [:]
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: interval)
            if Task.isCancelled { break }
            let counts = world.counts
            let rates = ChaosDisplay.rates(counts, before, in: interval)
            before = counts
            let seconds = (ContinuousClock.now - start).components.seconds
            show(monitor.board, rates, counts.values.reduce(0, +), seconds)
        }
        if isTerminal { clear() }
    }

    private func show(_ board: ServiceBoard, _ rates: [String: Int], _ total: Int, _ seconds: Int64) {
        let (phase, faults, lines) = shown.withLock { $0 }
        let head = "\(seconds) s  \(phase)  \(total) operations, \(faults) faults"
        guard isTerminal else {
            console.narrate("\(head)  \(board.line)\n")
            return
        }
        let rows = [head] + board.rows.map { Self.row($0, rates[$0.service]) }
        let up = lines > 0 ? "\u{1B}[\(lines)A" : ""
        console.narrate(up + rows.map { "\r\u{1B}[K\($0)\n" }.joined())
        shown.withLock { $0.lines = rows.count }
    }

    private func clear() {
        let lines = shown.withLock { $0.lines }
        if lines > 0 { console.narrate("\u{1B}[\(lines)A\u{1B}[J") }
        shown.withLock { $0.lines = 0 }
    }

    /// `  payment-queue         up      42/s   worst 1.8 s   kill`
    static func row(_ row: ServiceBoard.Row, _ rate: Int?) -> String {
        let recovery = row.worstRecovery.map { "worst \(ServiceBoard.seconds($0))" } ?? ""
        return "  " + Format.pad(row.service, 22) + Format.pad(row.isUp ? "up" : "DOWN", 6)
            + Format.pad(rate.map { "\($0)/s" } ?? "", 8) + Format.pad(recovery, 14)
            + row.faults.joined(separator: " ")
    }

    /// Operations a second by the service that each is about. The gateway has all.
    static func rates(
        _ counts: [HistoryEntry.Operation: Int], _ before: [HistoryEntry.Operation: Int], in interval: Duration
    ) -> [String: Int] {
        var done: [String: Int] = [:]  // keys: services
        for (operation, count) in counts {
            let more = count - (before[operation] ?? 0)
            done["gateway", default: 0] += more
            if let service = operation.service { done[service, default: 0] += more }
        }
        return done.mapValues { Int(Int64($0) * 1_000 / max(1, interval.milliseconds)) }
    }
}

extension HistoryEntry.Operation {
    /// The service that owns the operation's subject. Nil for lines of the run itself.
    var service: String? {
        switch self {
        case .overrideWrite, .overrideRead, .storePage, .createIntent, .decideIntent, .finalOverride, .finalIntents:
            "promotion-controller"
        case .eligibility, .finalEligibility: "eligibility"
        case .finalCharges: "payment-processor"
        case .story: "app-store-server"
        case .observe, .fault, .service: nil
        default: "payment-queue"
        }
    }
}

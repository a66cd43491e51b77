import Chaos
import EventLoop
import StoreHTTP

/// Shows a run while it goes on. A terminal has one line a service, which renews itself. Other outputs get plain lines.
final class ChaosDisplay: Sendable {
    private struct State {
        var phase = ""
        var faults = 0
        /// Lines of the frame on the terminal.
        var lines = 0
        var counts: [HistoryEntry.Operation: Int] = [:]
        var elapsed = Duration.zero
    }

    private let console: Console
    private let isTerminal: Bool
    private let isQuiet: Bool
    private let size: @Sendable () -> TerminalSize
    private let state = Locked(State())

    private static let interval = Duration.milliseconds(500)
    /// Of plain lines.
    private static let plainInterval = Duration.seconds(5)

    init(_ environment: CommandEnvironment, isQuiet: Bool) {
        console = environment.console
        isTerminal = environment.terminal.isError && !environment.terminal.isDumb
        size = environment.terminalSize
        self.isQuiet = isQuiet
    }

    func phase(_ name: String) { state.withLock { $0.phase = name } }

    func note(_ fault: PlannedFault) {
        state.withLock { $0.faults += 1 }
        guard !isTerminal, !isQuiet else { return }
        console.narrate("fault \(fault.number): \(fault.name.rawValue) \(fault.target)\n")
    }

    func note(_ sentence: String) {
        if !isQuiet { console.narrate("note: \(sentence)\n") }
    }

    /// Says that a fault could not be injected, on terminals too.
    func refused(_ fault: PlannedFault, _ reason: String) {
        guard !isQuiet else { return }
        console.narrate(
            "\(erasing())fault \(fault.number) not injected: \(fault.name.rawValue) \(fault.target): \(reason)\n")
    }

    /// Shows the state until the task is cancelled.
    func run(_ monitor: ChaosMonitor, _ world: ChaosWorld, _ start: ContinuousClock.Instant) async {
        guard !isQuiet else { return }
        while !Task.isCancelled {
            try? await ContinuousClock().sleep(for: isTerminal ? Self.interval : Self.plainInterval)
            if Task.isCancelled { break }
            show(monitor.board.services, world.counts, at: ContinuousClock.now - start)
        }
        console.narrate(erasing())
    }

    /// Shows the services and the operations so far.
    /// - Parameter elapsed: The time since the run's start.
    func show(_ services: [ChaosRun.Service], _ counts: [HistoryEntry.Operation: Int], at elapsed: Duration) {
        let frame = state.withLock { state in
            defer { (state.counts, state.elapsed) = (counts, elapsed) }
            return ChaosFrame(
                elapsed: elapsed, phase: state.phase, operations: counts.values.reduce(0, +), faults: state.faults,
                services: services,
                rates: ChaosFrame.rates(counts, state.counts, in: elapsed - state.elapsed))
        }
        guard isTerminal else { return console.narrate(frame.plain + "\n") }
        let lines = frame.lines(size())
        // In one piece, so that the terminal does not flicker.
        console.narrate(erasing() + lines.map { "\($0)\n" }.joined())
        state.withLock { $0.lines = lines.count }
    }

    /// The sequence that removes the frame from the terminal.
    private func erasing() -> String {
        let lines = state.withLock { state in
            defer { state.lines = 0 }
            return state.lines
        }
        return lines > 0 ? "\u{1B}[\(lines)A\u{1B}[J" : ""
    }
}

/// The state of a run at one moment.
struct ChaosFrame: Sendable {
    var elapsed: Duration
    var phase: String
    var operations: Int
    /// Faults that have begun.
    var faults: Int
    var services: [ChaosRun.Service]
    /// Operations a second of each service.
    var rates: [String: Int]  // keys: services

    private var head: String {
        "\(elapsed.components.seconds) s  \(phase)  \(Format.count(operations, "operation")), "
            + Format.count(faults, "fault")
    }

    /// The lines of a terminal: one about the run, and one a service. None is wider or is below the last row.
    func lines(_ size: TerminalSize) -> [String] {
        let titles = Self.line(["service", "state", "per s", "restarts", "recovery", "faults under way"])
        let rows = services.map { service in
            Self.line([
                service.service, service.isUp ? "up" : "AWAY", "\(rates[service.service, default: 0])",
                "\(service.restarts)", service.lastRecoveryMilliseconds.map(ReportText.seconds) ?? "-",
                service.faults.joined(separator: " "),
            ])
        }
        // The cursor is below the last line. A line that fills its row would wrap.
        return ([head, titles] + rows).prefix(max(1, size.rows - 1)).map { String($0.prefix(max(1, size.columns - 1))) }
    }

    private static func line(_ cells: [String]) -> String {
        let widths = [22, 7, 7, 10, 10]
        var text = "  " + zip(cells, widths).map { Format.pad($0, $1) }.joined() + (cells.last ?? "")
        while text.last == " " { text.removeLast() }
        return text
    }

    /// The state as one line of a log. It names the services that are away or under a fault.
    var plain: String {
        let away = services.filter { !$0.isUp }.map(\.service)
        let faults = services.flatMap { service in service.faults.map { "\($0) \(service.service)" } }
        let parts = [
            away.isEmpty ? "all services up" : "away: \(away.joined(separator: ", "))",
            faults.isEmpty ? nil : "under way: \(faults.joined(separator: ", "))",
        ]
        let rate = rates[ServiceList.gateway, default: 0]
        return "\(head), \(rate) per s  \(parts.compactMap(\.self).joined(separator: "  "))"
    }

    /// Operations a second by the service that each is about. The gateway has all.
    static func rates(
        _ counts: [HistoryEntry.Operation: Int], _ before: [HistoryEntry.Operation: Int], in time: Duration
    ) -> [String: Int] {
        var done: [String: Int] = [:]  // keys: services
        for (operation, count) in counts {
            let more = count - (before[operation] ?? 0)
            done[ServiceList.gateway, default: 0] += more
            if let service = operation.service { done[service, default: 0] += more }
        }
        return done.mapValues { Int(Int64($0) * 1_000 / max(1, time.milliseconds)) }
    }
}

extension HistoryEntry.Operation {
    /// The service that owns the operation's subject. Nil for lines of the run itself.
    fileprivate var service: String? {
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

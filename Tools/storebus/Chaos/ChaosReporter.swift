import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Reports a run to the gateway of the store that it breaks. The console and `storebus chaos runs` show it there.
final class ChaosReporter: Sendable {
    private struct State {
        /// The lines since the reporter took them last.
        var fresh: [HistoryEntry] = []
        var phase = ChaosRun.Phase.warmUp
    }

    private let options: RunOptions
    private let api: StoreAPI
    private let start = ContinuousClock.now
    private let state = Locked(State())

    /// The time between two reports.
    private static let interval = Duration.seconds(1)
    /// The share of the run's time that judging its history may take: one part of so many. Reports between have the
    /// counts of the one before.
    private static let share = 20
    /// The time for the gateway to take a report. The next one replaces it.
    private static let timeout = Duration.seconds(1)
    /// The time for the gateway to take the last report.
    private static let finalTimeout = Duration.seconds(10)

    init(_ options: RunOptions, _ api: StoreAPI) {
        self.options = options
        self.api = api
    }

    /// Takes a line of the history.
    func observe(_ entry: HistoryEntry) { state.withLock { $0.fresh.append(entry) } }

    func phase(_ name: String) {
        guard let phase = ChaosRun.Phase(rawValue: name) else { return }
        state.withLock { $0.phase = phase }
    }

    /// Reports until the task is cancelled. A report that the gateway does not take is left out.
    func run(_ monitor: ChaosMonitor) async {
        var entries: [HistoryEntry] = []
        var run: ChaosRun?
        var judgeAt = start
        while !Task.isCancelled {
            let begin = ContinuousClock.now
            let (fresh, phase) = state.withLock { state in
                defer { state.fresh = [] }
                return (state.fresh, state.phase)
            }
            entries += fresh
            var next: ChaosRun
            if let run, begin < judgeAt {
                next = run
            } else {
                next = RunReport(entries, options: options, isOver: false).run
                judgeAt = begin + (ContinuousClock.now - begin) * Self.share
            }
            next.phase = phase
            next.services = monitor.board.services
            run = next
            try? await put(next, Self.timeout)
            try? await ContinuousClock().sleep(until: begin + Self.interval)
        }
    }

    /// Reports the verdict. The run is over whether or not the gateway takes it.
    func finish(_ verdict: ChaosVerdict) async {
        var run = verdict.report.run
        if run.verdict == .valid, !verdict.outcome.unhealed.isEmpty { run.verdict = .unknown }
        run.report = "\(verdict.outcome.directory)/report.html"
        let last = run
        try? await Retry.run(until: .now + Self.finalTimeout) { () throws(CLIError) in
            try await self.put(last, Self.timeout)
        }
    }

    private func put(_ run: ChaosRun, _ timeout: Duration) async throws(CLIError) {
        var run = Self.cut(run)
        run.updatedAt = .wallClock()
        run.elapsedSeconds = Int((ContinuousClock.now - start).components.seconds)
        guard let id = run.setup?.id else { return }
        _ = try await api.exchange(api.request(BusRoutes.putRun, [.id: id], timeout: timeout).with(run))
    }

    /// Maximum number of faults in a report to the gateway, of its violations, and of characters in their sentences.
    private static let faultsMax = 1000, violationsMax = 50, sentenceMax = 500

    /// Returns as much of a report as the gateway takes. The files of the run have the rest.
    static func cut(_ run: ChaosRun) -> ChaosRun {
        var run = run
        run.faults = run.faults.suffix(faultsMax)
        run.violations = run.violations?.prefix(violationsMax).map { violation in
            var violation = violation
            violation.lines = []
            for sentence in [\ChaosRun.Violation.subject, \.expected, \.found] {
                violation[keyPath: sentence] = String(violation[keyPath: sentence].prefix(sentenceMax))
            }
            return violation
        }
        return run
    }
}

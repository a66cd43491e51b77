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

    private let plan: ChaosPlan
    private let api: StoreAPI
    private let app: String
    private let options: RunOptions
    private let startedAt = Timestamp.wallClock()
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

    init(_ plan: ChaosPlan, _ api: StoreAPI, app: String) {
        self.plan = plan
        self.api = api
        self.app = app
        options = RunOptions(plan.options) ?? RunOptions()
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
                next = judged(entries)
                judgeAt = begin + (ContinuousClock.now - begin) * Self.share
            }
            next.phase = phase
            next.updatedAt = .wallClock()
            next.elapsedSeconds = elapsedSeconds
            next.services = Self.services(monitor.board)
            run = next
            try? await put(next, Self.timeout)
            try? await ContinuousClock().sleep(until: begin + Self.interval)
        }
    }

    private var elapsedSeconds: Int { Int((ContinuousClock.now - start).components.seconds) }

    /// Reports the verdict. The run is over whether or not the gateway takes it.
    func finish(_ verdict: ChaosVerdict) async {
        var run = base(verdict.report)
        run.phase = .ended
        run.invariants = verdict.report.invariants(of: Invariant.allCases)
        let found = ChaosRun.Verdict(verdict.report.check.verdict)
        run.verdict = found == .valid && !verdict.outcome.unhealed.isEmpty ? .unknown : found
        run.lost = verdict.report.lostCount
        run.doubleCharges = verdict.report.doubleChargeCount
        run.worstRecoveryMilliseconds = Int(verdict.report.statistics.worstRecovery.rounded())
        run.line = verdict.report.line
        run.report = "\(verdict.outcome.directory)/report.html"
        let last = run
        try? await Retry.run(until: .now + Self.finalTimeout) { () throws(CLIError) in
            try await self.put(last, Self.timeout)
        }
    }

    private func put(_ run: ChaosRun, _ timeout: Duration) async throws(CLIError) {
        let request = api.request(BusRoutes.putRun, [.id: run.id], timeout: timeout).with(run)
        _ = try await api.exchange(request)
    }

    private static func services(_ board: ServiceBoard) -> [ChaosRun.Service] {
        board.rows.map { row in
            ChaosRun.Service(
                service: row.service, isUp: row.isUp, faults: row.faults,
                worstRecoveryMilliseconds: row.worstRecovery.map(Int.init))
        }
    }

    /// Judges the invariants that can be judged before the end.
    private func judged(_ entries: [HistoryEntry]) -> ChaosRun {
        let report = RunReport(entries, options: options)
        var run = base(report)
        run.invariants = report.invariants(of: Invariant.decidedAtOnce)
        let last = entries.last?.time ?? 0
        // A fault in force has its end at the last line.
        let isOpen = report.history.faults.suffix(Self.faultsMax).map { $0.end >= last }
        for (index, isOpen) in isOpen.enumerated() where isOpen { run.faults[index].endedAtSecond = nil }
        return run
    }

    private func base(_ report: RunReport) -> ChaosRun {
        let statistics = report.statistics
        let stepSeconds = Int(statistics.stepLength / 1_000_000)
        return ChaosRun(
            id: plan.name, seed: "\(plan.seed)", app: app, startedAt: startedAt, updatedAt: .wallClock(),
            phase: .warmUp, elapsedSeconds: elapsedSeconds,
            durationSeconds: Int(plan.duration.components.seconds), targets: plan.targets,
            faultNames: plan.faults.map(\.rawValue), workload: plan.workload.rawValue, rate: plan.rate,
            operations: statistics.total.all, succeeded: statistics.total.ok, refused: statistics.total.fail,
            unknown: statistics.total.info,
            faults: report.history.faults.enumerated().map { index, fault in
                ChaosRun.Fault(
                    number: index + 1, fault: fault.name, service: fault.target,
                    beganAtSecond: Self.seconds(fault.begin), endedAtSecond: Self.seconds(fault.end))
            }.suffix(Self.faultsMax),
            steps: statistics.steps.enumerated().map { index, step in
                ChaosRun.Step(
                    second: index * stepSeconds, succeeded: step.count.ok, refused: step.count.fail,
                    unknown: step.count.info, p50Milliseconds: step.latency.count > 0 ? step.latency.p50 : nil,
                    p99Milliseconds: step.latency.count > 0 ? step.latency.p99 : nil)
            }, stepSeconds: stepSeconds)
    }

    /// Maximum number of faults in a report.
    private static let faultsMax = 1000

    private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds) / 1_000_000 }
}

extension RunReport {
    /// Returns the outcomes of invariants. A history that goes on does not decide the others yet.
    fileprivate func invariants(of invariants: [Invariant]) -> [ChaosRun.Invariant] {
        invariants.map { invariant in
            let violations = check.violations.count { $0.invariant == invariant }
            let examined = check.examined[invariant, default: 0]
            return ChaosRun.Invariant(
                invariant: invariant.rawValue, statement: invariant.statement,
                outcome: violations > 0 ? .broken : examined > 0 ? .held : .notExercised, examined: examined,
                violations: violations)
        }
    }
}

extension ChaosRun.Verdict {
    fileprivate init(_ verdict: HistoryCheck.Verdict) {
        self =
            switch verdict {
            case .valid: .valid
            case .invalid: .invalid
            case .unknown: .unknown
            }
    }
}

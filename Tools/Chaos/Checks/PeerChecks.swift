/// Checks H1: no other client notices peers that do not read, send halves, or answer badly.
///
/// While only such a fault is in force, each request of the run's customers has an answer, and no answer is a 503. 99
/// of 100 requests take no longer than a stated multiple of their time in calm phases. Notifications of the run's own
/// app still come, which N1 says.
struct PeerChecks: Checker {
    private struct Sample {
        var attempt: RunHistory.Attempt
        var end: Int
        var milliseconds: Double
    }

    let history: RunHistory
    var findings = Findings()

    /// The largest factor by which the slowest of a hundred requests may exceed calm time. A machine with two shared
    /// cores varies by itself, so one second is always granted.
    private static let factor = 10.0, leastMilliseconds = 1_000.0
    /// The largest factor by which the share of requests without an answer may exceed that of calm time. Calm time
    /// usually has none.
    private static let shutFactor = 3.0
    /// Requests of each kind that a comparison needs.
    private static let samplesMin = 100
    /// Time for which another fault is felt behind its end, in microseconds.
    private static let aftermath: Int64 = 3_000_000

    mutating func run() {
        let hostile = history.faults.filter { FaultName(rawValue: $0.name)?.isHostile == true }
        guard !hostile.isEmpty else { return }
        // An outage that begins beside hostile peers excuses nothing.
        let others =
            history.faults.filter { FaultName(rawValue: $0.name)?.isHostile != true }
            + history.outages.filter { !Self.touches(hostile, $0.begin - Self.aftermath, $0.begin) }
        var (beside, calm): ([Sample], [Sample]) = ([], [])
        // A story is several requests, and not a customer's.
        for attempt in history.attempts
        where attempt.isLoad && attempt.operation != .isolated && attempt.operation != .story {
            guard let end = attempt.end, attempt.begin != end else { continue }
            let (from, to) = (history.entries[attempt.begin].time, history.entries[end].time)
            guard !Self.touches(others, from - Self.aftermath, to) else { continue }
            let sample = Sample(
                attempt: attempt, end: end, milliseconds: history.entries[end].milliseconds ?? Double(to - from) / 1_000
            )
            if Self.touches(hostile, from, to) {
                beside.append(sample)
            } else if !Self.touches(hostile, from - Self.aftermath, to) {
                calm.append(sample)
            }
        }
        findings.examine(.h1, beside.count)
        let shut = beside.filter(Self.isShut)
        // A machine that leaves requests without an answer in calm time says little.
        let usual = calm.isEmpty ? 0 : Double(calm.count(where: Self.isShut)) / Double(calm.count)
        for sample in shut where Double(shut.count) > Self.shutFactor * usual * Double(beside.count) {
            let attempt = sample.attempt
            report(
                .h1, "\(attempt.operation.rawValue) of line \(attempt.begin + 1)",
                "an answer, as without hostile peers", attempt.status.map { "\($0) \(attempt.code ?? "")" } ?? "none",
                [attempt.begin, sample.end])
        }
        let times = (calm: Self.p99(calm), beside: Self.p99(beside))
        guard min(calm.count, beside.count) >= Self.samplesMin else { return }
        let bound = max(Self.factor * times.calm, Self.leastMilliseconds)
        guard times.beside > bound, let slowest = beside.max(by: { $0.milliseconds < $1.milliseconds }) else { return }
        report(
            .h1, "p99 of requests", "at most \(Int(bound)) ms beside hostile peers", "\(Int(times.beside)) ms",
            [slowest.attempt.begin, slowest.end])
    }

    /// Whether a request found the gateway shut: without an answer, or refused for lack of room.
    private static func isShut(_ sample: Sample) -> Bool {
        sample.attempt.kind == .info && sample.attempt.status == nil || sample.attempt.status == 503
    }

    private static func p99(_ samples: [Sample]) -> Double {
        RunStatistics.quantile(samples.map(\.milliseconds).sorted(), 0.99) ?? 0
    }

    private static func touches(_ windows: [RunHistory.Window], _ from: Int64, _ to: Int64) -> Bool {
        windows.contains { $0.begin <= to && from <= $0.end }
    }
}

import StoreHTTP

/// The numbers of a run, counted from its history.
struct RunStatistics: Sendable {
    private(set) var operations: [HistoryEntry.Operation: ChaosRun.Counts] = [:]
    private(set) var total = ChaosRun.Counts()
    /// Of requests that overlap a fault or outage.
    private(set) var totalInFaults = ChaosRun.Counts()
    /// Nil without an answer.
    private(set) var latency: ChaosRun.Latency?
    private(set) var latencyInFaults: ChaosRun.Latency?
    private(set) var faults: [ChaosRun.Fault] = []
    private(set) var services: [ChaosRun.Service] = []
    private(set) var money: [ChaosRun.Money] = []
    /// Length of the history in microseconds.
    private(set) var duration: Int64 = 0
    /// Length of a step in microseconds, at least a second.
    private(set) var stepLength: Int64 = 1_000_000
    private(set) var steps: [ChaosRun.Step] = []

    private static let stepsMax: Int64 = 180

    /// - Parameter services: The services of the store. Empty for those that the history names.
    init(_ history: RunHistory, services: [String] = []) {
        duration = max(history.entries.last?.time ?? 0, 1)
        while duration / stepLength >= Self.stepsMax { stepLength += 1_000_000 }
        let stepSeconds = Int(stepLength / 1_000_000)
        steps = (0...Int(duration / stepLength)).map { ChaosRun.Step(second: $0 * stepSeconds, counts: .init()) }
        countRequests(history)
        countFaults(history)
        countServices(history, services)
        countMoney(history)
    }

    /// The share of successes among operations that were not declined on purpose. Nil without any.
    static func availability(_ counts: ChaosRun.Counts) -> Double? {
        let asked = counts.all - counts.declined
        return asked == 0 ? nil : rounded(Double(counts.succeeded) / Double(asked), 100_000)
    }

    private static func rounded(_ value: Double, _ parts: Double) -> Double { (value * parts).rounded() / parts }

    /// The nearest-rank quantile, or nil without values.
    static func quantile(_ sorted: [Double], _ part: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((Double(sorted.count) * part).rounded(.up))
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }

    private static func latency(_ samples: [Double]) -> ChaosRun.Latency? {
        let sorted = samples.sorted()
        guard let p50 = quantile(sorted, 0.5), let p99 = quantile(sorted, 0.99) else { return nil }
        return ChaosRun.Latency(
            answers: sorted.count, p50Milliseconds: rounded(p50, 100), p99Milliseconds: rounded(p99, 100))
    }

    // MARK: Requests

    /// Milliseconds until the answer of a request that ended. Nil for one without a decisive answer.
    private static func milliseconds(_ attempt: RunHistory.Attempt, _ history: RunHistory) -> Double? {
        guard let end = attempt.end, attempt.kind != .info else { return nil }
        let took = history.entries[end].time - history.entries[attempt.begin].time
        return history.entries[end].milliseconds ?? Double(took) / 1000
    }

    private mutating func countRequests(_ history: RunHistory) {
        var samples: [[Double]] = Array(repeating: [], count: steps.count)
        var (calm, disturbed): ([Double], [Double]) = ([], [])
        for attempt in history.load {
            guard let end = attempt.end else { continue }
            let (begin, done) = (history.entries[attempt.begin].time, history.entries[end].time)
            let isFaulty = history.isFaulty(from: begin, to: done)
            let step = min(Int(done / stepLength), steps.count - 1)
            operations[attempt.operation, default: .init()].add(attempt.outcome)
            total.add(attempt.outcome)
            steps[step].counts.add(attempt.outcome)
            if isFaulty { totalInFaults.add(attempt.outcome) }
            guard let sample = Self.milliseconds(attempt, history) else { continue }
            samples[step].append(sample)
            if isFaulty { disturbed.append(sample) } else { calm.append(sample) }
        }
        for (number, values) in samples.enumerated() {
            let latency = Self.latency(values)
            steps[number].p50Milliseconds = latency?.p50Milliseconds
            steps[number].p99Milliseconds = latency?.p99Milliseconds
        }
        (latency, latencyInFaults) = (Self.latency(calm), Self.latency(disturbed))
    }

    // MARK: Faults

    /// Answers in more than so many times the p99 of calm time are slow.
    private static let slowFactor = 2.0

    private mutating func countFaults(_ history: RunHistory) {
        let recoveries = Self.recoveries(history)
        faults = history.faults.enumerated().map { index, fault in
            ChaosRun.Fault(
                number: index + 1, fault: fault.name, service: fault.target, process: fault.process,
                beganAtSecond: Self.seconds(fault.begin), endedAtSecond: fault.isOpen ? nil : Self.seconds(fault.end),
                recoveryMilliseconds: recoveries[index].map { Int($0.rounded()) }, notInjected: fault.refusal)
        }
        let until = zip(history.faults, recoveries).map { fault, recovery in
            recovery.map { fault.end + Int64($0 * 1000) } ?? duration
        }
        var lastOfKey: [String: Int] = [:]
        for (number, attempt) in history.attempts.enumerated() {
            if let key = attempt.key { lastOfKey["\(attempt.owner) \(key)"] = number }
        }
        let slow = (latency?.p99Milliseconds).map { $0 * Self.slowFactor } ?? .infinity
        for (number, attempt) in history.attempts.enumerated() where attempt.isLoad {
            guard let end = attempt.end else { continue }
            let (begin, done) = (history.entries[attempt.begin].time, history.entries[end].time)
            let hasFailed = attempt.outcome == .refused || attempt.outcome == .unknown
            let isRetried = attempt.key.map { lastOfKey["\(attempt.owner) \($0)", default: 0] > number } ?? false
            let isSlow = (Self.milliseconds(attempt, history) ?? 0) > slow
            for (index, fault) in history.faults.enumerated()
            where fault.begin <= done && begin <= until[index] && fault.refusal == nil {
                faults[index].operations += 1
                if attempt.outcome == .refused { faults[index].refused += 1 }
                if attempt.outcome == .unknown { faults[index].unknown += 1 }
                if hasFailed, isRetried { faults[index].retried += 1 }
                if !hasFailed, isSlow { faults[index].slow += 1 }
            }
        }
    }

    private static func seconds(_ microseconds: Int64) -> Double { Double(microseconds / 1000) / 1000 }

    /// The recovery of each fault in milliseconds. It is the value in its target's `up` (`recoveredMilliseconds`).
    /// Without one it is the time from the fault's end to the beginning of the last request with an unknown outcome,
    /// before the next fault and at most thirty seconds later. Nil for a fault in force, for one that was not injected,
    /// and if its target is away until the history's end.
    ///
    /// Requests that were under way in the fault are not counted, because their timeout does not show when the store
    /// served again.
    private static func recoveries(_ history: RunHistory) -> [Double?] {
        let ups: [(time: Int64, service: String, milliseconds: Double)] = history.entries.compactMap { entry in
            guard entry.operation == .service, let milliseconds = recovered(entry) else { return nil }
            return (entry.time, entry.detail?["service"] ?? "", milliseconds)
        }
        let unknown = history.attempts.filter { $0.kind == .info && $0.end != nil }.map { attempt in
            history.entries[attempt.begin].time
        }
        return history.faults.map { fault in
            guard !fault.isOpen, fault.refusal == nil else { return nil }
            let next = history.faults.map(\.begin).filter { $0 > fault.begin }.min() ?? .max
            let nextOfTarget =
                history.faults.filter { $0.target == fault.target && $0.begin > fault.begin }.map(\.begin).min() ?? .max
            let said = ups.filter {
                $0.service == fault.target && $0.time >= fault.begin && $0.time < nextOfTarget
            }.map(\.milliseconds).max()
            if let said { return said }
            let isAway = history.outages.contains { outage in
                outage.isOpen && outage.target == fault.target && outage.begin < nextOfTarget
            }
            if isAway { return nil }
            let until = max(fault.end, min(next, fault.end + 30_000_000))
            let last = unknown.filter { $0 > fault.end && $0 <= until }.max()
            return Double((last ?? fault.end) - fault.end) / 1000
        }
    }

    /// The recovery that a service's `up` tells.
    private static func recovered(_ entry: HistoryEntry) -> Double? {
        guard entry.detail?["what"] == "up" else { return nil }
        return entry.detail?["recoveredMilliseconds"].flatMap { Double($0) }
    }

    // MARK: Services and money

    private mutating func countServices(_ history: RunHistory, _ known: [String]) {
        var found = known
        for window in history.outages + history.faults where !found.contains(window.target) {
            found.append(window.target)
        }
        services = found.map { service in
            let recoveries = history.entries.compactMap { entry in
                entry.operation == .service && entry.detail?["service"] == service ? Self.recovered(entry) : nil
            }
            return ChaosRun.Service(
                service: service, isUp: !history.outages.contains { $0.isOpen && $0.target == service },
                faults: history.faults.filter { $0.isOpen && $0.target == service }.map(\.name),
                restarts: history.restarts[service, default: 0],
                lastRecoveryMilliseconds: recoveries.last.map { Int($0) },
                worstRecoveryMilliseconds: recoveries.max().map { Int($0) })
        }
    }

    private mutating func countMoney(_ history: RunHistory) {
        var sums: [String: ChaosRun.Money] = [:]
        func add(_ currency: String, _ change: (inout ChaosRun.Money) -> Void) {
            change(&sums[currency, default: ChaosRun.Money(currency: currency)])
        }
        for charge in history.attempts(.finalCharges).last?.end.flatMap({ history.entries[$0].charges }) ?? []
        where charge.outcome == "approved" {
            add(charge.currency) { sum in
                sum.charges += 1
                sum.charged += Int(charge.amount)
                sum.refunded += Int(charge.refunded)
            }
        }
        for sightings in history.sightings.values {
            guard let transaction = sightings.last(where: { $0.transaction.isPurchased })?.transaction,
                let price = transaction.price, price > 0
            else { continue }
            add(transaction.currency ?? "") { sum in
                sum.transactions += 1
                sum.priced += Int(price)
            }
        }
        money = sums.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension ChaosRun.Counts {
    fileprivate mutating func add(_ outcome: RunHistory.Outcome) {
        switch outcome {
        case .succeeded: succeeded += 1
        case .declined: declined += 1
        case .refused: refused += 1
        case .unknown: unknown += 1
        }
    }

    /// Takes a part of the operations away.
    static func - (all: ChaosRun.Counts, part: ChaosRun.Counts) -> ChaosRun.Counts {
        ChaosRun.Counts(
            succeeded: all.succeeded - part.succeeded, declined: all.declined - part.declined,
            refused: all.refused - part.refused, unknown: all.unknown - part.unknown)
    }
}

extension RunHistory {
    /// The attempts that are load.
    var load: [Attempt] { attempts.filter(\.isLoad) }
}

extension RunHistory.Attempt {
    /// Whether it is load. The reads after everything was healed are not.
    var isLoad: Bool {
        switch operation {
        case .finalUnfinished, .finalHistory, .finalCharges, .finalOverride, .finalIntents, .finalEligibility,
            .finalEvents:
            false
        default: true
        }
    }
}

/// The numbers of a run, counted from its history.
package struct RunStatistics: Sendable {
    package struct Count: Equatable, Sendable {
        package var ok = 0, fail = 0, info = 0
        package var all: Int { ok + fail + info }
    }

    /// Latencies in milliseconds of requests with an answer.
    package struct Latency: Equatable, Sendable {
        package var count = 0
        package var p50 = 0.0, p99 = 0.0

        init(_ samples: [Double] = []) {
            let sorted = samples.sorted()
            count = sorted.count
            p50 = Self.quantile(sorted, 0.5)
            p99 = Self.quantile(sorted, 0.99)
        }

        /// The nearest-rank quantile, or 0 without values.
        static func quantile(_ sorted: [Double], _ part: Double) -> Double {
            guard !sorted.isEmpty else { return 0 }
            let rank = Int((Double(sorted.count) * part).rounded(.up))
            return sorted[min(max(rank, 1), sorted.count) - 1]
        }
    }

    /// The faults of one name.
    package struct FaultClass: Equatable, Sendable {
        package var name: String
        package var count: Int
        /// Milliseconds from the fault's end until requests succeed again, as ``recovery(of:_:)`` has it.
        package var recoveryP50: Double
        package var recoveryMax: Double
    }

    /// Sums of one currency.
    package struct Money: Equatable, Sendable {
        package var charges = 0
        package var charged: Int64 = 0
        package var refunded: Int64 = 0
        package var transactions = 0
        package var priced: Int64 = 0
    }

    /// One step of the timeline.
    package struct Step: Equatable, Sendable {
        package var count = Count()
        package var latency = Latency()
    }

    package private(set) var operations: [HistoryEntry.Operation: Count] = [:]
    package private(set) var total = Count()
    /// ok of ok and info, or nil without either.
    package private(set) var availability: Double?
    /// The same of requests that overlap a fault or outage.
    package private(set) var availabilityInFaults: Double?
    package private(set) var healthy = Latency()
    package private(set) var faulty = Latency()
    package private(set) var faultClasses: [FaultClass] = []
    package private(set) var faultCount = 0
    package private(set) var money: [String: Money] = [:]
    /// Length of the history in microseconds.
    package private(set) var duration: Int64 = 0
    /// Length of a step in microseconds, at least a second.
    package private(set) var stepLength: Int64 = 1_000_000
    package private(set) var steps: [Step] = []

    /// The longest recovery of all faults, in milliseconds.
    package var worstRecovery: Double { faultClasses.map(\.recoveryMax).max() ?? 0 }

    private static let stepsMax: Int64 = 180

    package init(_ history: RunHistory) {
        duration = max(history.entries.last?.time ?? 0, 1)
        while duration / stepLength >= Self.stepsMax { stepLength += 1_000_000 }
        steps = Array(repeating: Step(), count: Int(duration / stepLength) + 1)
        countRequests(history)
        countFaults(history)
        countMoney(history)
    }

    private mutating func countRequests(_ history: RunHistory) {
        var samples: [[Double]] = Array(repeating: [], count: steps.count)
        var (calm, disturbed): ([Double], [Double]) = ([], [])
        var inFaults = Count()
        for attempt in history.attempts {
            guard let end = attempt.end, !attempt.isFinalRead else { continue }
            let (begin, done) = (history.entries[attempt.begin].time, history.entries[end].time)
            let isFaulty = history.isFaulty(from: begin, to: done)
            let step = min(Int(done / stepLength), steps.count - 1)
            Self.add(attempt.kind, to: &operations[attempt.operation, default: Count()])
            Self.add(attempt.kind, to: &total)
            Self.add(attempt.kind, to: &steps[step].count)
            if isFaulty { Self.add(attempt.kind, to: &inFaults) }
            guard attempt.kind != .info else { continue }
            let sample = history.entries[end].milliseconds ?? Double(done - begin) / 1000
            samples[step].append(sample)
            if isFaulty { disturbed.append(sample) } else { calm.append(sample) }
        }
        for (number, values) in samples.enumerated() { steps[number].latency = Latency(values) }
        (healthy, faulty) = (Latency(calm), Latency(disturbed))
        (availability, availabilityInFaults) = (Self.share(total), Self.share(inFaults))
    }

    private static func add(_ kind: HistoryEntry.Kind, to count: inout Count) {
        switch kind {
        case .ok, .event: count.ok += 1
        case .fail: count.fail += 1
        case .info, .invoke: count.info += 1
        }
    }

    private static func share(_ count: Count) -> Double? {
        count.ok + count.info == 0 ? nil : Double(count.ok) / Double(count.ok + count.info)
    }

    private mutating func countFaults(_ history: RunHistory) {
        faultCount = history.faults.count
        let recoveries = Self.recoveries(history)
        let byName = Dictionary(grouping: history.faults.indices) { history.faults[$0].name }
        faultClasses = byName.map { name, numbers in
            let sorted = numbers.map { recoveries[$0] }.sorted()
            return FaultClass(
                name: name, count: numbers.count, recoveryP50: Latency.quantile(sorted, 0.5),
                recoveryMax: sorted.last ?? 0)
        }.sorted { $0.name < $1.name }
    }

    /// The recovery of each fault in milliseconds. It is the value in its target's `up` (`recoveredMilliseconds`).
    /// Without one it is the time from the fault's end to the beginning of the last request with an unknown outcome,
    /// before the next fault and at most thirty seconds later.
    ///
    /// Requests that were under way in the fault are not counted, because their timeout does not show when the store
    /// served again.
    private static func recoveries(_ history: RunHistory) -> [Double] {
        let ups: [(time: Int64, service: String, milliseconds: Double)] = history.entries.compactMap { entry in
            guard entry.operation == .service, entry.detail?["what"] == "up",
                let milliseconds = entry.detail?["recoveredMilliseconds"].flatMap({ Double($0) })
            else { return nil }
            return (entry.time, entry.detail?["service"] ?? "", milliseconds)
        }
        let unknown = history.attempts.filter { $0.kind == .info && $0.end != nil }.map { attempt in
            history.entries[attempt.begin].time
        }
        return history.faults.map { fault in
            let next = history.faults.map(\.begin).filter { $0 > fault.begin }.min() ?? .max
            let nextOfTarget =
                history.faults.filter { $0.target == fault.target && $0.begin > fault.begin }.map(\.begin).min() ?? .max
            let said = ups.filter {
                $0.service == fault.target && $0.time >= fault.begin && $0.time < nextOfTarget
            }.map(\.milliseconds).max()
            if let said { return said }
            let until = max(fault.end, min(next, fault.end + 30_000_000))
            let last = unknown.filter { $0 > fault.end && $0 <= until }.max()
            return Double((last ?? fault.end) - fault.end) / 1000
        }
    }

    private mutating func countMoney(_ history: RunHistory) {
        for charge in history.attempts(.finalCharges).last?.end.flatMap({ history.entries[$0].charges }) ?? []
        where charge.outcome == "approved" {
            money[charge.currency, default: Money()].charges += 1
            money[charge.currency, default: Money()].charged += charge.amount
            money[charge.currency, default: Money()].refunded += charge.refunded
        }
        for sightings in history.sightings.values {
            guard let transaction = sightings.last(where: { $0.transaction.isPurchased })?.transaction,
                let price = transaction.price, price > 0
            else { continue }
            money[transaction.currency ?? "", default: Money()].transactions += 1
            money[transaction.currency ?? "", default: Money()].priced += price
        }
    }
}

extension RunHistory.Attempt {
    /// Whether it is one of the reads after everything was healed, which are not load.
    var isFinalRead: Bool {
        switch operation {
        case .finalUnfinished, .finalHistory, .finalCharges, .finalOverride, .finalIntents, .finalEligibility,
            .finalEvents:
            true
        default: false
        }
    }
}

import EventLoop
import StorebusTesting

/// A run of a history, and what came of it.
struct SimulationRun: Sendable {
    /// Maximum number of steps between the last operation and rest. More mean that something does not end.
    private static let restSteps = 60_000
    /// Maximum number of steps between two operations.
    private static let pauseMax = 60

    let history: SimulatedHistory
    private(set) var violation: SimulationViolation?
    private(set) var steps = 0
    /// A hash over all that happened, in its order.
    private(set) var digest: UInt64 = 0
    /// The number of idempotency keys with a final reply.
    private(set) var answered = 0

    /// Runs a history on a thread of its own.
    init(_ history: SimulatedHistory) async {
        self = await withCheckedContinuation { continuation in
            do {
                try DetachedThread.start(name: "simulation", stackBytes: 16 << 20) {
                    continuation.resume(returning: SimulationRun(here: history))
                }
            } catch {
                fatalError("no thread for a simulation: \(error)")
            }
        }
    }

    /// Runs a history on this thread.
    private init(here history: SimulatedHistory) {
        self.history = history
        let executor = SimulationExecutor(seed: history.seed)
        let faults = SimulatedFaults(history.faults)
        let checks = SimulationChecks()
        // The store's commits are checked against its clients' replies, and both need the store.
        let parts = Locked<(store: SimulatedStore, clients: SimulatedClients)?>(nil)
        let store: SimulatedStore
        do {
            store = try SimulatedStore(
                executor, faults,
                committed: {
                    guard let (store, clients) = parts.withLock({ $0 }) else { return }
                    checks.check(store, clients)
                },
                critical: { checks.report(SimulationViolation(rule: "P2", text: $0)) })
        } catch {
            fatalError("no databases for a simulation: \(error)")
        }
        let clients = SimulatedClients(store) { checks.report($0) }
        store.prepare()
        executor.run(atMost: 10_000)
        parts.withLock { $0 = (store: store, clients: clients) }
        faults.set(isOn: true)
        var random = SplitMix64(seed: ~history.seed)
        for operation in history.operations {
            clients.begin(operation)
            executor.run(atMost: Int.random(in: 1...Self.pauseMax, using: &random))
            if checks.violation != nil { break }
        }
        faults.set(isOn: false)
        if checks.violation == nil { Self.rest(executor, store, clients, checks) }
        if executor.escapes > 0 {
            checks.report(SimulationViolation(rule: "simulation", text: "\(executor.escapes) jobs left the thread"))
        }
        (violation, steps, digest) = (checks.violation, executor.steps, executor.digest)
        answered = clients.keys.count { $0.ended != nil }
        parts.withLock { $0 = nil }
        store.end()
    }

    /// Has the store do its jobs, and clients repeat their keys, until nothing changes any more.
    private static func rest(
        _ executor: SimulationExecutor, _ store: SimulatedStore, _ clients: SimulatedClients, _ checks: SimulationChecks
    ) {
        let last = executor.steps + restSteps
        // A process that has just crashed starts again.
        executor.run(atMost: 1_000)
        var (commits, isIdle) = (-1, false)
        while checks.violation == nil, !isIdle || commits != store.queueDisk.commits + store.ledgerDisk.commits {
            guard executor.steps < last else {
                checks.checkAtRest(store, clients)
                return checks.report(SimulationViolation(rule: "P4", text: "the store does not come to rest"))
            }
            commits = store.queueDisk.commits + store.ledgerDisk.commits
            // Pending charges fall due.
            store.advance(by: .seconds(3))
            for job in SimulatedOperation.Job.allCases { store.work(job) }
            clients.repeatKeys(all: false)
            isIdle = executor.run(atMost: 4_000)
        }
        guard checks.violation == nil else { return }
        // One key has one answer, also now.
        clients.repeatKeys(all: true)
        executor.run(atMost: restSteps)
        checks.checkAtRest(store, clients)
    }

    /// Returns a shorter history that breaks the same rule.
    /// - Parameter tries: Maximum number of runs.
    func shrunk(tries: Int = 80) async -> SimulationRun {
        var (best, left) = (self, tries)
        await best.shrink(\.operations, &left)
        await best.shrink(\.faults, &left)
        await best.shrink(\.operations, &left)
        return best
    }

    /// Leaves out chunks of a list while the same rule is still broken: halves first, single items last.
    private mutating func shrink<Item>(_ list: WritableKeyPath<SimulatedHistory, [Item]>, _ tries: inout Int) async {
        var size = (history[keyPath: list].count + 1) / 2
        while size >= 1 {
            var start = 0
            while start < history[keyPath: list].count, tries > 0 {
                var shorter = history
                let end = min(start + size, shorter[keyPath: list].count)
                shorter[keyPath: list].removeSubrange(start..<end)
                tries -= 1
                let run = await SimulationRun(shorter)
                if run.violation?.rule == violation?.rule { self = run } else { start += size }
            }
            size /= 2
        }
    }

    /// The violation with the history and the command that repeats it.
    var description: String {
        guard let violation else { return "seed \(history.seed): \(steps) steps, \(answered) keys answered" }
        return "\(violation.rule) is broken after \(steps) steps: \(violation.text)\n\(history.description)"
    }
}

import BusClient
import Chaos
import EventLoop
import StoreHTTP
import StoreModels

/// Asks every service again and again whether it answers, and writes changes to the history.
final class ChaosMonitor: Sendable {
    private struct State {
        var board: ServiceBoard
        /// Processes under termination. Probes count again once their successors run.
        var leaving: [String: Int32] = [:]  // keys: services
    }

    private let store: ChaosStore
    private let bus: any BusClient
    private let history: HistoryWriter
    private let state: Locked<State>
    private let clock: ContinuousClock.Instant

    private static let interval = Duration.milliseconds(100)
    private static let timeout = Duration.milliseconds(800)

    /// - Parameter start: The beginning of the run.
    init(store: ChaosStore, bus: any BusClient, history: HistoryWriter, start: ContinuousClock.Instant) {
        self.store = store
        self.bus = bus
        self.history = history
        clock = start
        state = Locked(State(board: ServiceBoard(store.services)))
    }

    var board: ServiceBoard { state.withLock { $0.board } }
    private var now: Int64 { (ContinuousClock.now - clock).milliseconds }

    /// Probes until it is cancelled.
    /// - Parameter onBroker: Called when the broker is there again.
    func run(onBroker: @escaping @Sendable () async -> Void) async {
        await withDiscardingTaskGroup { group in
            for service in store.services {
                group.addTask {
                    while !Task.isCancelled {
                        let change = await self.probe(service)
                        if service == ServiceList.broker, change?.isUp == true { await onBroker() }
                        try? await ContinuousClock().sleep(for: self.pause(service))
                    }
                }
            }
        }
    }

    /// Time until the next probe. Services behind the engine are asked seldom while they are well.
    private func pause(_ service: String) -> Duration {
        guard ComposeProject.isOffTheBus(service) else { return Self.interval }
        let row = board.services.first { $0.service == service }
        return row.map { $0.isUp && $0.faults.isEmpty } ?? true ? .seconds(1) : .milliseconds(200)
    }

    private func probe(_ service: String) async -> ServiceBoard.Change? {
        let asked = now
        let answers = await answers(service)
        // A probe that the end of the run cuts off says nothing of its service.
        guard !Task.isCancelled else { return nil }
        let pids = store.pids(of: service)
        let (changes, restarts) = state.withLock { state in
            let restarts = state.board.found(service, processes: pids)
            if let old = state.leaving[service] {
                guard !answers || !pids.contains(old) else { return ([ServiceBoard.Change](), restarts) }
                if answers { state.leaving[service] = nil }
            }
            return (state.board.probed(service, answers: answers, asked: asked, now: now), restarts)
        }
        for _ in 0..<restarts { history.note(.service, ["service": service, "what": "restarted"]) }
        write(changes)
        return changes.last
    }

    private func answers(_ service: String) async -> Bool {
        if let answers = await store.driver.answers(service) { return answers }
        switch service {
        case ServiceList.broker:
            return (try? await bus.flush(timeout: Self.timeout)) != nil
        case ComposeProject.door:
            // Without a gateway it answers for itself, with 503.
            return (try? await store.api.transport.send(StoreRequest(.get, "/healthz", timeout: Self.timeout))) != nil
        case ServiceList.gateway:
            let request = StoreRequest(.get, "/healthz", timeout: Self.timeout)
            return (try? await store.api.transport.send(request))?.status == 200
        default:
            guard let reply = try? await bus.request("$SRV.HEALTH.\(service)", timeout: Self.timeout) else {
                return false
            }
            return (try? StrictJSON.parse(reply.body))?["status"]?.stringValue.map { $0 != "fail" } ?? false
        }
    }

    /// Notes a fault's begin. One that was not injected changes nothing.
    func begin(_ fault: PlannedFault, _ beginning: ChaosInjector.Beginning) {
        let count = store.pids(of: fault.target).count
        let changes = state.withLock { state in
            if fault.name.isInstant, let pid = beginning.pid, count < 2 { state.leaving[fault.target] = pid }
            return beginning.refusal == nil ? state.board.begin(fault, now: now) : []
        }
        var detail: [String: String] = [:]
        detail["refusal"] = beginning.refusal
        if beginning.pid != nil, count > 1 { detail["process"] = "\(fault.replica % count + 1)" }
        note(fault, "begin", detail)
        write(changes)
    }

    func end(_ fault: PlannedFault) {
        state.withLock { $0.board.end(fault, now: now) }
        note(fault, "end")
    }

    private func note(_ fault: PlannedFault, _ what: String, _ more: [String: String] = [:]) {
        let detail = [
            "name": fault.name.rawValue, "target": fault.target, "what": what, "number": "\(fault.number)",
        ]
        history.note(.fault, detail.merging(more) { $1 })
    }

    private func write(_ changes: [ServiceBoard.Change]) {
        for change in changes {
            var detail = ["service": change.service, "what": change.isUp ? "up" : "down"]
            detail["recoveredMilliseconds"] = change.recovered.map { "\($0)" }
            history.note(.service, detail)
        }
    }

    /// Waits until every service answers.
    /// - Returns: False when the time ran out first.
    func waitUntilUp(within time: Duration) async -> Bool {
        let deadline = ContinuousClock.now + time
        while !board.areAllUp {
            if ContinuousClock.now > deadline || Task.isCancelled { return false }
            try? await ContinuousClock().sleep(for: .milliseconds(50))
        }
        return true
    }
}

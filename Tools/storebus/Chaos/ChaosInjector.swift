import BusClient
import CProcess
import Chaos
import EventLoop
import Glibc
import StoreHTTP
import StoreModels

/// Injects faults into a store and takes them back.
actor ChaosInjector {
    private let store: ChaosStore
    private let bus: any BusClient
    private let seed: UInt64
    /// The run's accounts, whose tester settings the processor's faults change, and streams.
    private let world: ChaosWorld
    private var inForce: [PlannedFault] = []
    /// Processes under a lower limit, with the one they had, by the number of their fault.
    private var peers: [Int: HostileClients] = [:]
    /// The app of `hostile-webhooks`, or nil without that fault.
    private let hostileApp: HostileApp?
    private var limited: [Int: (pid: Int32, before: Int64)] = [:]

    /// Time in which the broker must take rules that its own faults may hit.
    private static let rulesTimeout = Duration.seconds(15)

    init(store: ChaosStore, bus: any BusClient, seed: UInt64, world: ChaosWorld, hostileApp: HostileApp?) {
        self.hostileApp = hostileApp
        self.store = store
        self.bus = bus
        self.seed = seed
        self.world = world
    }

    /// Checks that the means of each fault are there.
    /// - Throws: `usage` with the first fault that cannot be injected, and the remedy.
    func check(_ faults: [FaultName]) async throws(CLIError) {
        if let fault = faults.first(where: { $0.means == .busRules }) {
            guard (try? await ask("LIST")) != nil else {
                throw CLIError(
                    .usage,
                    "the fault '\(fault.rawValue)' needs the fault injector of the store's broker, which is off",
                    hints: [
                        "start the store with it: STOREBUS_CHAOS=1 storebus up, or \(ComposeProject.start)",
                        "or leave such faults out: --faults kill,pause,restart",
                    ])
            }
        }
        for fault in faults where fault.means == .signal || fault.means == .limits {
            try await store.driver.check(fault, store.services)
        }
    }

    /// The result of starting a fault.
    struct Beginning: Sendable {
        /// The process that was hit. Nil for faults by other means.
        var pid: Int32?
        /// The reason why the fault was not injected, or nil if it was.
        var refusal: String?
    }

    func begin(_ fault: PlannedFault) async -> Beginning {
        inForce.append(fault)
        switch fault.name.means {
        case .signal:
            guard let pid = await store.driver.strike(fault) else {
                return Beginning(refusal: "no process of \(fault.target) runs now")
            }
            return Beginning(pid: pid)
        case .limits: return limit(fault)
        case .busRules: await setRules()
        case .testerSettings:
            var settings = AccountSettings()
            settings["processor"] = .string(ProcessorMode.slow.rawValue)
            for account in world.accounts { _ = try? await store.api.putTester(account, settings) }
        case .disk, .clock, .relay:
            do throws(CLIError) {
                try applyEquipment(fault.target)
            } catch {
                return Beginning(refusal: error.message)
            }
        case .streams: world.arePaused = true
        case .peers: peers[fault.number] = HostileClients(port: store.gatewayPort)
        case .webhooks: hostileApp?.begin()
        case .load: break
        }
        return Beginning()
    }

    /// Lets a process open no more files and sockets than it has open.
    private func limit(_ fault: PlannedFault) -> Beginning {
        let pids = store.pids(of: fault.target).filter { $0 > 0 }
        guard !pids.isEmpty else { return Beginning(refusal: "no process of \(fault.target) runs now") }
        let pid = pids[fault.replica % pids.count]
        let before = storebus_limit_files(pid, UInt64(OpenDescriptors.lowestFree(pid)))
        guard before >= 0 else { return Beginning(refusal: FileAccess.systemReason) }
        limited[fault.number] = (pid, before)
        return Beginning(pid: pid)
    }

    func end(_ fault: PlannedFault) async {
        inForce.removeAll { $0.number == fault.number }
        switch fault.name.means {
        case .signal:
            await store.driver.relieve(fault)
        case .limits:
            if let (pid, before) = limited.removeValue(forKey: fault.number) {
                _ = storebus_limit_files(pid, UInt64(before))
            }
        case .busRules: await setRules()
        case .testerSettings: await resetTesters()
        case .disk, .clock, .relay: try? applyEquipment(fault.target)
        case .streams: world.arePaused = inForce.contains { $0.name.means == .streams }
        case .peers: await peers.removeValue(forKey: fault.number)?.stop()
        case .webhooks: if !inForce.contains(where: { $0.name.means == .webhooks }) { hostileApp?.end() }
        case .load: break
        }
    }

    /// Takes everything back. It is safe to call again.
    func healAll(_ faults: [PlannedFault]) async {
        for fault in inForce { await end(fault) }
        await store.driver.relieveAll()
        // Rules may be left of a broker that was away, and settings of a gateway.
        if faults.contains(where: { $0.name.means == .busRules }) { await setRules() }
        if faults.contains(where: { $0.name.means == .testerSettings }) { await resetTesters() }
    }

    /// Sets the rules again: a broker that was killed has forgotten them.
    func renewRules() async {
        if inForce.contains(where: { $0.name.means == .busRules }) { await setRules() }
    }

    private func applyEquipment(_ service: String) throws(CLIError) {
        let faults = inForce.filter { $0.target == service && $0.name.means.needsOwnStore }
        try store.owned?.equipment.apply(faults, at: service, seed: seed)
    }

    private func resetTesters() async {
        for account in world.accounts {
            _ = try? await Retry.run(until: .now + .seconds(10)) { () throws(CLIError) in
                try await store.api.call(AccountRoutes.reset, [.account: account])
            }
        }
    }

    private func setRules() async {
        let deadline = ContinuousClock.now + Self.rulesTimeout
        while ContinuousClock.now < deadline {
            let rules = inForce.flatMap { $0.name.busFault?.rules(at: $0.target) ?? [] }
            if (try? await rules.isEmpty ? ask("CLEAR") : ask("SET", BusRuleSet(seed: seed, rules: rules))) != nil {
                return
            }
            // The rules in force may have hit the request, and the broker may be away.
            await Task { try? await ContinuousClock().sleep(for: .milliseconds(100)) }.value
        }
    }

    private func ask(_ verb: String, _ rules: BusRuleSet? = nil) async throws(CLIError) -> JSONValue {
        try await BusFaults.ask(bus, verb, rules, timeout: .seconds(1))
    }
}

/// The files and sockets that a process has open.
enum OpenDescriptors {
    /// The number of the next file that opens. A limit of it allows no more.
    static func lowestFree(_ pid: Int32) -> Int {
        lowestFree(Set(FileAccess.names(in: "/proc/\(pid)/fd").compactMap { Int($0) }))
    }

    static func lowestFree(_ taken: Set<Int>) -> Int {
        (0...taken.count).first { !taken.contains($0) } ?? taken.count
    }
}

/// Requests to the fault injector of the broker.
enum BusFaults {
    /// - Parameter verb: `SET`, `LIST` or `CLEAR`.
    /// - Throws: `busUnreachable`, `noResponders`, or `usage` with the broker's reason.
    static func ask(
        _ bus: any BusClient, _ verb: String, _ rules: BusRuleSet? = nil, timeout: Duration
    ) async throws(CLIError) -> JSONValue {
        let body = rules.flatMap { try? StoreJSON.encode($0) } ?? []
        let reply = try await callingBus { () throws(BusError) in
            try await bus.request("$SYS.CHAOS.\(verb)", body: body, timeout: timeout)
        }
        guard let answer = try? StrictJSON.parse(reply.body) else {
            throw CLIError(.busUnreachable, "the broker's reply is not JSON", retryable: true)
        }
        if let problem = answer["error"]?["message"]?.stringValue { throw CLIError(.usage, problem) }
        return answer
    }
}

/// Connections of broken clients to the gateway, for the length of a fault.
///
/// Some pipeline requests and read nothing, some send half a head or half a body, and some send nothing at all.
final class HostileClients: Sendable {
    private struct Peer {
        var descriptor: Int32
        var output: [UInt8]
    }

    private let peers: Locked<[Peer]>
    private let pushing: Locked<Task<Void, Never>?>

    /// Connections of each kind. Two that pipeline shut a gateway when each of their requests had a place.
    private static let pipelining = 2, halfHeads = 64, halfBodies = 640, idle = 32
    private static let pipelined = 2_000
    private static let descriptorsMax: UInt64 = 8_192
    /// Bytes that the system keeps of unread answers. With more, the gateway would not notice.
    private static let receives: Int32 = 4_096
    private static let pause = Duration.milliseconds(20)

    /// Connects to a port of this machine.
    init(port: Int) {
        // More than the usual limit of a process.
        _ = storebus_limit_files(getpid(), Self.descriptorsMax)
        let query = "GET /openapi.json HTTP/1.1\r\nHost: hostile\r\n\r\n"
        let half = "POST /v1/sessions HTTP/1.1\r\nHost: hostile\r\nContent-Type: application/json\r\n"
        let outputs =
            Array(repeating: String(repeating: query, count: Self.pipelined), count: Self.pipelining)
            + Array(repeating: half, count: Self.halfHeads)
            + Array(repeating: half + "Content-Length: 1000\r\n\r\n{", count: Self.halfBodies)
            + Array(repeating: "", count: Self.idle)
        peers = Locked(
            outputs.compactMap { output in
                LoopbackSocket.connect(to: port, receives: Self.receives).map {
                    Peer(descriptor: $0, output: Array(output.utf8))
                }
            })
        pushing = Locked(nil)
        let task = Task { [peers] in
            while !Task.isCancelled {
                Self.push(peers)
                try? await ContinuousClock().sleep(for: Self.pause)
            }
        }
        pushing.withLock { $0 = task }
    }

    /// Sends as many bytes as the gateway takes.
    private static func push(_ peers: Locked<[Peer]>) {
        peers.withLock { peers in
            for index in peers.indices where !peers[index].output.isEmpty {
                let output = peers[index].output
                let count = send(peers[index].descriptor, output, output.count, Int32(MSG_NOSIGNAL))
                if count > 0 { peers[index].output.removeFirst(count) }
                if count < 0, errno != EAGAIN, errno != EINTR, errno != ENOTCONN, errno != EINPROGRESS {
                    peers[index].output = []
                }
            }
        }
    }

    /// Ends every connection.
    func stop() async {
        let task = pushing.withLock { $0 }
        task?.cancel()
        await task?.value
        peers.withLock { peers in
            for one in peers { close(one.descriptor) }
            peers = []
        }
    }
}

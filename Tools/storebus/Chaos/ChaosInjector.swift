import BusClient
import Chaos
import StoreModels

/// Injects faults into a store and takes them back.
actor ChaosInjector {
    private let store: ChaosStore
    private let bus: any BusClient
    private let seed: UInt64
    /// Accounts of the run, whose tester settings the processor's faults change.
    private let accounts: [String]
    private var active: [PlannedFault] = []

    /// Time in which the broker must take rules that its own faults may hit.
    private static let rulesTimeout = Duration.seconds(15)

    init(store: ChaosStore, bus: any BusClient, seed: UInt64, accounts: [String]) {
        self.store = store
        self.bus = bus
        self.seed = seed
        self.accounts = accounts
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
        for fault in faults where fault.means == .signal {
            try await store.driver.check(fault, store.services)
        }
    }

    /// - Returns: The process that was signalled; nil for faults of other means.
    @discardableResult
    func begin(_ fault: PlannedFault) async -> Int32? {
        switch fault.name.means {
        case .signal:
            return await store.driver.strike(fault)
        case .busRules:
            active.append(fault)
            await setRules()
        case .testerSettings:
            var settings = AccountSettings()
            settings.processor = ProcessorMode.slow.rawValue
            for account in accounts { _ = try? await store.api.putTester(account, settings) }
        case .load: break
        }
        return nil
    }

    func end(_ fault: PlannedFault) async {
        switch fault.name.means {
        case .signal:
            await store.driver.relieve(fault)
        case .busRules:
            active.removeAll { $0.number == fault.number }
            await setRules()
        case .testerSettings: await resetTesters()
        case .load: break
        }
    }

    /// Takes everything back; safe to call again.
    func healAll(_ faults: [PlannedFault]) async {
        await store.driver.relieveAll()
        active = []
        if faults.contains(where: { $0.name.means == .busRules }) { await setRules() }
        if faults.contains(where: { $0.name.means == .testerSettings }) { await resetTesters() }
    }

    /// Sets the rules again: a broker that was killed has forgotten them.
    func renewRules() async {
        if !active.isEmpty { await setRules() }
    }

    private func resetTesters() async {
        for account in accounts {
            _ = try? await Retry.run(until: .now + .seconds(10)) { () throws(CLIError) in
                try await store.api.resetTester(account)
            }
        }
    }

    private func setRules() async {
        let rules = active.flatMap { BusRule.rules($0.name, at: $0.target) }
        let deadline = ContinuousClock.now + Self.rulesTimeout
        while ContinuousClock.now < deadline {
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

/// Requests to the fault injector of the broker.
enum BusFaults {
    /// - Parameter verb: `SET`, `LIST` or `CLEAR`.
    /// - Throws: `busUnreachable`, `nobodyAnswers`; `usage` with the broker's reason.
    static func ask(
        _ bus: any BusClient, _ verb: String, _ rules: BusRuleSet? = nil, timeout: Duration
    ) async throws(CLIError) -> JSONValue {
        let body = rules.flatMap { try? StoreJSON.encode($0) } ?? []
        let reply = try await callingBus { () throws(BusError) in
            try await bus.request("$SYS.CHAOS.\(verb)", body: body, timeout: timeout)
        }
        guard let answer = try? StrictJSON.parse(reply.body) else {
            throw CLIError(.busUnreachable, "the broker's reply is no JSON", retryable: true)
        }
        if let problem = answer["error"]?["message"]?.stringValue { throw CLIError(.usage, problem) }
        return answer
    }
}

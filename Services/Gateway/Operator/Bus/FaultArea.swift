import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes of the faults on the bus.
struct FaultArea: Area {
    let operatorBus: OperatorConnection

    var routes: [Route] {
        [
            Route(BusRoutes.faults) { FaultsResponse(try await rulesInForce($0)) },
            Route(BusRoutes.addFault) { try await addFault($0) },
            Route(BusRoutes.removeFaults) { try await removeFaults($0) },
        ]
    }

    /// Reads the rules in force, or nil when the broker injects no faults.
    private func rulesInForce(_ call: Call) async throws -> BusRulesInForce? {
        let health = try await operatorBus.page(BrokerSubject.health, call)
        guard health.flag("chaos") else { return nil }
        return try await askInjector(BrokerSubject.rules, call)
    }

    private func askInjector(
        _ subject: String, _ call: Call, rules: [BusRule] = [], seed: UInt64 = 0
    ) async throws -> BusRulesInForce {
        let body = try StoreJSON.encode(BusRuleSet(seed: seed, rules: rules))
        let reply = try await operatorBus.request(subject, body: body, until: call.deadline)
        return try StoreJSON.decode(BusRulesInForce.self, from: reply)
    }

    private func addFault(_ call: Call) async throws -> Reply<FaultsResponse> {
        let request = try await call.body(of: BusRoutes.addFault)
        try Self.check(request.service, at: "$.service")
        let inForce = try await requiredRules(call)
        let response = FaultsResponse(inForce)
        let isInForce = response.faults.contains {
            $0.fault == request.fault && $0.service.isExactly(request.service)
        }
        if isInForce { return try Reply(response, status: .created) }
        let rules = inForce.rules.map(\.withoutCounters) + request.fault.rules(at: request.service)
        guard rules.count <= BusRuleSet.rulesMax else {
            throw StoreError.invalid(
                "$.fault",
                "needs more than the \(BusRuleSet.rulesMax) rules that the broker takes; remove another fault",
                status: 422)
        }
        let changed = try await askInjector(BrokerSubject.setRules, call, rules: rules, seed: inForce.seed)
        return try Reply(FaultsResponse(changed), status: .created)
    }

    private func removeFaults(_ call: Call) async throws -> FaultsResponse {
        let fault = try call.query.choice("fault", BusFault.self)
        let service = try call.query.single("service")
        if let service { try Self.check(service, at: "query service") }
        let inForce = try await requiredRules(call)
        guard fault != nil || service != nil else {
            return FaultsResponse(try await askInjector(BrokerSubject.clearRules, call))
        }
        var kept = inForce.rules.map(\.withoutCounters)
        for entry in FaultsResponse(inForce).faults
        where (fault ?? entry.fault) == entry.fault && (service ?? entry.service).isExactly(entry.service) {
            kept = entry.fault.removed(from: kept, at: entry.service)
        }
        if kept.count == inForce.rules.count { return FaultsResponse(inForce) }
        return FaultsResponse(try await askInjector(BrokerSubject.setRules, call, rules: kept, seed: inForce.seed))
    }

    private func requiredRules(_ call: Call) async throws -> BusRulesInForce {
        guard let inForce = try await rulesInForce(call) else {
            throw StoreError(
                .faultsDisabled,
                "the broker injects no faults; start the store with its injector: STOREBUS_CHAOS=1 storebus up")
        }
        return inForce
    }

    private static func check(_ service: String, at path: String) throws(StoreError) {
        guard BusFault.targets.contains(where: { $0.isExactly(service) }) else {
            throw .invalid(path, "must be one of \(BusFault.targets.joined(separator: ", "))")
        }
    }
}

extension FaultsResponse {
    /// - Parameter inForce: Nil when the broker injects no faults.
    init(_ inForce: BusRulesInForce?) {
        guard let inForce else {
            self.init(isEnabled: false, seed: nil, faults: [], rules: [], struck: [:])
            return
        }
        self.init(
            isEnabled: true, seed: inForce.seed, faults: Self.faults(inForce.rules), rules: inForce.rules,
            struck: inForce.faults)
    }

    /// Finds the faults whose rules are all in force. A rule belongs to one fault.
    private static func faults(_ rules: [BusRule]) -> [Fault] {
        var rest = rules
        var found: [Fault] = []
        for fault in BusFault.allCases {
            for service in BusFault.targets {
                var left = rest
                var own: [BusRule] = []
                for rule in fault.rules(at: service) {
                    guard let index = left.firstIndex(where: rule.isSame) else { break }
                    own.append(left.remove(at: index))
                }
                guard own.count == fault.rules(at: service).count else { continue }
                rest = left
                found.append(
                    Fault(
                        fault: fault, service: service, matched: own.reduce(0) { $0 + ($1.matched ?? 0) },
                        struck: own.reduce(0) { $0 + ($1.struck ?? 0) }))
            }
        }
        return found
    }
}

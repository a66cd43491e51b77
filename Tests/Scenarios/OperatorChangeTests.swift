import Foundation
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what the store has answered to the operator is in force for the very next request, at any replica (E1, F7):
/// prices, settings of the app and of testers, subscription groups, clocks.
/// Method: change and act at once, again and again; on SQLite with one process of each service, on PostgreSQL with two,
/// through both gateways in turn.
@Suite(.process) struct OperatorChangeTests {
    private static let app = "com.example.app"

    private static func withStore(
        _ engine: Engine, _ body: (StoreStack) async throws -> Void
    ) async throws {
        let replicas = ["--replicas", "catalog=2,payment-queue=2,eligibility=2,gateway=2"]
        try await StoreStack.run(
            engine == .postgres ? replicas : [], environment: try await engine.environment()
        ) { store in
            try #require(store.gateways.count == (engine == .postgres ? 2 : 1))
            try await body(store)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an imported price is shown and charged to the next customer, by every gateway`(_ engine: Engine) async throws
    {
        try await Self.withStore(engine) { store in
            try await Self.import(Self.coins("0.49"), into: store)
            let alice = try await store.session(account: "alice")
            for round in 1...8 {
                let price = "\(round).49"
                try await Self.import(Self.coins(price), into: store, at: store.gateways[round % store.gateways.count])
                for (number, gateway) in store.gateways.enumerated() {
                    #expect(try await Self.shownPrice(alice, at: gateway) == price)
                    let bought = try await Self.buy("coins", alice, key: "\(round)-\(number)", at: gateway)
                    #expect(bought.price?.amount == price)
                }
            }
            let charges = try await Ledger.charges(of: store)
            #expect(charges.filter { $0.outcome == .approved }.count == 8 * store.gateways.count)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a price imported right before the clock moves is the renewal's`(_ engine: Engine) async throws {
        try await Self.withStore(engine) { store in
            try await Self.import(Self.groups(["pro": ["monthly": "9.99"]]), into: store)
            let alice = try await store.session(account: "alice")
            let first = try await alice.buy("monthly", key: "first")
            #expect(first.price?.amount == "9.99")
            for round in 1...4 {
                let price = "\(9 - round).99"
                try await Self.import(Self.groups(["pro": ["monthly": price]]), into: store)
                try await Self.next(store, key: "next-\(round)")
                let events = try await Self.events(of: first, in: store)
                #expect(events.last?.kind == .renewed)
                #expect(events.last?.amount?.amount == price)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a grace period set right before the clock moves is granted`(_ engine: Engine) async throws {
        try await Self.withStore(engine) { store in
            try await Self.import(Self.groups(["pro": ["monthly": "9.99"]]), into: store)
            for round in 0..<4 {
                let hasGrace = round.isMultiple(of: 2)
                let account = "subscriber\(round)"
                let customer = try await store.session(account: account)
                let first = try await customer.buy("monthly", key: "first")
                try await store.must(.PUT, "/admin/v1/testers/\(account)", .object(["processor": "decline"]))
                try await Self.put(["billingGracePeriod": .bool(hasGrace)], store)
                try await Self.next(store, key: "next-\(round)")
                let kinds = try await Self.events(of: first, in: store).map(\.kind)
                #expect(kinds.contains(hasGrace ? .gracePeriodStarted : .billingRetryStarted))
                #expect(!kinds.contains(hasGrace ? .billingRetryStarted : .gracePeriodStarted))
                // The next round's customer alone is on the clock.
                try await store.must(.DELETE, "/admin/v1/apps/\(Self.app)/transactions?account=\(account)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `settings of apps and testers count for the next request, by every gateway`(_ engine: Engine) async throws {
        try await Self.withStore(engine) { store in
            try await Self.import(Self.coins("0.99"), into: store)
            let alice = try await store.session(account: "alice")
            for round in 0..<4 {
                let isSold = !round.isMultiple(of: 2)
                try await Self.put(["agreementsActive": .bool(isSold)], store)
                for (number, gateway) in store.gateways.enumerated() {
                    #expect(try await Self.shownPrice(alice, at: gateway) == (isSold ? "0.99" : nil))
                    let bought = try await Self.buy("coins", alice, key: "a\(round)-\(number)", at: gateway)
                    #expect(bought.error?.code == (isSold ? nil : 5))
                }
                let error: [String: JSONValue] =
                    isSold ? [:] : ["simulatedErrors": .object(["loadProducts": "networkError"])]
                try await store.must(.PUT, "/admin/v1/testers/alice", .object(error))
                for gateway in store.gateways {
                    let answer = try await Self.products(["coins"], alice, at: gateway)
                    #expect(answer.status == (isSold ? 200 : 503))
                }
                try await store.must(.DELETE, "/admin/v1/testers/alice")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `F7: no customer answered as eligible is charged otherwise, right after a product changed its group`(
        _ engine: Engine
    ) async throws {
        try await Self.withStore(engine) { store in
            for round in 0..<4 {
                let (a, b) = ("a\(round)", "b\(round)")
                try await Self.import(
                    Self.groups([a: ["moved": "9.99"], b: ["used": "4.99"]], trial: true), into: store)
                let customer = try await store.session(account: "shopper\(round)")
                #expect(try await customer.buy("used", key: "trial").isTrialPeriod == true)
                try await Self.import(Self.groups([b: ["used": "4.99", "moved": "9.99"]], trial: true), into: store)
                for gateway in store.gateways {
                    let answer = try await store.request(
                        .GET, "/v1/eligibility?ids=moved", token: customer.token, at: gateway)
                    let reply: EligibilityReply = try answer.decoded()
                    #expect(reply.eligibility.map(\.subscriptionGroupIdentifier) == [b])
                    #expect(reply.eligibility.map(\.eligibility) == [.ineligible])
                    #expect(reply.degraded.isEmpty)
                    let listed: ScenarioCustomer.ProductsAnswer =
                        try await Self.products(["moved"], customer, at: gateway).decoded()
                    #expect(listed.products.map(\.introductoryOfferEligibility) == [.ineligible])
                }
                let bought = try await customer.buy("moved", key: "moved")
                #expect(bought.price?.amount == "9.99")
            }
        }
    }

    /// On PostgreSQL, because each service has a second replica there, which goes on meanwhile.
    @Test(arguments: Engine.allCases.filter { $0 == .postgres }, ["gateway", "payment-queue", "eligibility"])
    func `ADR 0072: a process stopped beyond its leases uses nothing from before a change`(
        _ engine: Engine, _ service: String
    ) async throws {
        try await Self.withStore(engine) { store in
            try await Self.import(Self.coins("0.49"), into: store)
            let alice = try await store.session(account: "alice")
            for round in 1...3 {
                // Every process holds leases now.
                for (number, gateway) in store.gateways.enumerated() {
                    _ = try await Self.shownPrice(alice, at: gateway)
                    _ = try await Self.buy("coins", alice, key: "before-\(round)-\(number)", at: gateway)
                }
                let price = "\(round).49"
                try store.signal(service, SIGSTOP)
                do {
                    try await Self.import(Self.coins(price), into: store, at: store.gateways[1])
                } catch {
                    try store.signal(service, SIGCONT)
                    throw error
                }
                try store.signal(service, SIGCONT)
                for (number, gateway) in store.gateways.enumerated() {
                    #expect(try await Self.shownPrice(alice, at: gateway) == price)
                    let bought = try await Self.buy("coins", alice, key: "\(round)-\(number)", at: gateway)
                    #expect(bought.price?.amount == price)
                }
            }
        }
    }

    @Test func `a new subscription has an answer at once`() async throws {
        try await Self.withStore(.sqlite) { store in
            try await Self.import(Self.coins("0.99"), into: store)
            let alice = try await store.session(account: "alice")
            for round in 1...5 {
                try await Self.import(Self.groups(["g": ["new\(round)": "1.99"]], trial: true), into: store)
                let answer = try await store.request(.GET, "/v1/eligibility", token: alice.token)
                let reply: EligibilityReply = try answer.decoded()
                #expect(reply.eligibility.map(\.productIdentifier) == ["new\(round)"])
                #expect(reply.eligibility.map(\.eligibility) == [.eligible])
            }
        }
    }

    @Test func `with Catalog gone right after an import nothing is sold at the price before it`() async throws {
        try await Self.withStore(.sqlite) { store in
            try await Self.import(Self.coins("0.99"), into: store)
            let alice = try await store.session(account: "alice")
            _ = try await alice.buy("coins", key: "before")
            try await Self.import(Self.coins("9.99"), into: store)
            let killed = try store.signal("catalog")
            let answer = try await alice.add("coins", key: "after")
            if answer.status == 201 {
                #expect(try answer.decoded(as: PaymentTransaction.self).price?.amount == "9.99")
            } else {
                #expect(answer.status == 503, "\(answer.text)")
            }
            try await store.waitForReplacement(of: "catalog", after: killed)
            #expect(try await alice.buy("coins", key: "after").price?.amount == "9.99")
        }
    }

    // MARK: Acting

    private static func buy(
        _ product: String, _ customer: ScenarioCustomer, key: String, at gateway: String
    ) async throws -> PaymentTransaction {
        let answer = try await customer.store.request(
            .POST, "/v1/payments", token: customer.token, headers: ["idempotency-key": key],
            body: try StoreJSON.encode(["productIdentifier": JSONValue.string(product), "quantity": 1]), at: gateway)
        guard answer.status == 201 else { throw StackError("buy: \(answer.status) \(answer.text)") }
        return try answer.decoded()
    }

    private static func products(
        _ identifiers: [String], _ customer: ScenarioCustomer, at gateway: String
    ) async throws -> StoreStack.Answer {
        try await customer.store.request(
            .POST, "/v1/products/query", token: customer.token,
            body: try StoreJSON.encode(["productIdentifiers": identifiers]), at: gateway)
    }

    private static func shownPrice(_ customer: ScenarioCustomer, at gateway: String) async throws -> String? {
        let answer: ScenarioCustomer.ProductsAnswer = try await products(["coins"], customer, at: gateway).decoded()
        return answer.products.first?.price.amount
    }

    /// The clock jumps to the next thing that happens to a subscription.
    private static func next(_ store: StoreStack, key: String) async throws {
        try await eventually("the clock's move ends", within: .seconds(30)) {
            try await store.must(.POST, "/admin/v1/apps/\(app)/clock/advance", key: key, .object(["next": 1])).status
                == 200
        }
    }

    private static func events(
        of first: PaymentTransaction, in store: StoreStack
    ) async throws -> [SubscriptionEvent] {
        let answer = try await store.must(.GET, "/admin/v1/subscriptions/\(first.id)/timeline")
        return try answer.decoded(as: SubscriptionTimeline.self).events
    }

    // MARK: Operating

    private static func put(_ settings: [String: JSONValue], _ store: StoreStack) async throws {
        let members = settings.merging(["name": "Example"]) { own, _ in own }
        try await store.must(.PUT, "/admin/v1/apps/\(app)", .object(members))
    }

    private static func `import`(_ file: JSONValue, into store: StoreStack, at gateway: String? = nil) async throws {
        let answer = try await store.request(
            .PUT, "/admin/v1/apps/\(app)/catalog", token: store.adminKey, body: try StoreJSON.encode(file), at: gateway)
        guard answer.status == 200 else { throw StackError("import: \(answer.status) \(answer.text)") }
    }

    private static func coins(_ price: String) -> JSONValue {
        file(
            products: [
                .object([
                    "type": "Consumable", "productID": "coins", "referenceName": "Coins",
                    "displayPrice": .string(price),
                ])
            ], groups: [])
    }

    /// Subscriptions of a month: group → product → price.
    private static func groups(_ groups: [String: [String: String]], trial: Bool = false) -> JSONValue {
        file(
            products: [],
            groups: groups.map { group, products in
                .object([
                    "id": .string(group), "name": .string(group),
                    "subscriptions": .array(products.map { subscription($0.key, $0.value, trial: trial) }),
                ])
            })
    }

    private static func subscription(_ identifier: String, _ price: String, trial: Bool) -> JSONValue {
        var members: [String: JSONValue] = [
            "type": "RecurringSubscription", "productID": .string(identifier), "groupNumber": 1,
            "displayPrice": .string(price), "recurringSubscriptionPeriod": "P1M",
        ]
        if trial {
            members["introductoryOffer"] = .object(["paymentMode": "free", "subscriptionPeriod": "P1W"])
        }
        return .object(members)
    }

    private static func file(products: [JSONValue], groups: [JSONValue]) -> JSONValue {
        .object([
            "identifier": "A", "version": .object(["major": 4, "minor": 0]), "products": .array(products),
            "subscriptionGroups": .array(groups),
        ])
    }
}

import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: isolated stores count for themselves, share nothing, and leave nothing.
@Suite struct IsolatedAppTests {
    private static let first = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 7, seed: 42)
    private static let second = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 8, seed: 42)
    /// A store of another seed, whose numbers are others.
    private static let third = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 9, seed: 43)

    /// Buys a consumable twice.
    /// - Returns: The numbers of the purchases, and of the download of the app.
    private func buy(_ app: IsolatedApp, in store: TestStore) async throws -> [Int64?] {
        let account = try await store.caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: app.bundleId, account: "alice", deviceId: "phone"))
        var numbers: [Int64?] = []
        for key in ["1", "2"] {
            let bought = try await store.caller.call(
                PaymentEndpoints.addPayment,
                AddPaymentRequest(
                    bundleId: app.bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                    payment: Payment(requestIdentifier: key, productIdentifier: "coins", quantity: 1)))
            numbers.append(bought.transaction.transactionIdentifier.flatMap(Int64.init))
        }
        let found = try await store.caller.call(
            ServerAPIEndpoints.appTransaction,
            AppTransactionRequest(bundleId: app.bundleId, customerIdentifier: account.customerIdentifier))
        return numbers + [Int64(found.appTransactionIdentifier)]
    }

    @Test(arguments: Engine.allCases)
    func `stores of equal seeds count alike, whatever else is bought`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let ordinary = try #require(
                try await alice.add("coins", key: "1").transaction.transactionIdentifier.flatMap(Int64.init))
            let one = try await buy(Self.first, in: store)
            #expect(one == [2_000_000_004_200_001, 2_000_000_004_200_002, 7_000_000_000_004_200_001])
            #expect(try await buy(Self.second, in: store) == one)
            #expect(
                try await alice.add("coins", key: "2").transaction.transactionIdentifier == "\(ordinary + 1)")
            // The operator's list of the installation has none of theirs.
            #expect(try await store.transactions().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an equal number names each store's own subscription, and each is charged`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            // The third store has the numbers of the installation.
            let zero = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 10, seed: 0)
            let apps = [Catalogue.bundleId, zero.bundleId, Self.first.bundleId, Self.second.bundleId]
            var bought: [PaymentTransaction] = []
            for app in apps { bought.append(try await fill(app, in: store).transactions[0]) }
            #expect(bought[0].transactionIdentifier == "2000000000000001")
            #expect(bought[1].transactionIdentifier == bought[0].transactionIdentifier)
            #expect(bought[2].transactionIdentifier == "2000000004200001")
            #expect(bought[3].transactionIdentifier == bought[2].transactionIdentifier)
            for (app, own) in zip(apps, bought) {
                let number = try #require(own.transactionIdentifier)
                let named = ScopedIdentifier(number, in: IsolationScope(of: app))
                let renewed = try await store.caller.call(
                    SubscriptionEndpoints.operate, OperateSubscriptionRequest(named, operation: .renew))
                #expect(renewed.transaction?.originalTransactionIdentifier == number)
                let found = try await store.caller.call(PaymentEndpoints.findTransaction, named)
                #expect(found.transaction.id == own.id)
                let looked = try await store.caller.call(
                    ServerAPIEndpoints.lookup, TransactionLookupRequest(bundleId: app, identifier: number))
                let account = try await store.caller.call(
                    PaymentEndpoints.openAccount,
                    OpenAccountRequest(bundleId: app, account: "alice", deviceId: "phone"))
                #expect(looked.customerIdentifier == account.customerIdentifier)
            }
            #expect(try await store.renewals().map(\.chargeKey) == bought.map { "renew:\($0.id):1" })
            let outside = try await refusal { try await store.find("2000000004200001") }
            #expect(outside?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an account's settings touch no subscription of the same account in another store`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            let apps = [Catalogue.bundleId, Self.first.bundleId, Self.second.bundleId]
            for app in apps { _ = try await fill(app, in: store) }
            for app in [Self.first, Self.second] {
                try await store.set("alice", TesterSettings(processor: .decline), in: IsolationScope(app))
            }
            for app in apps {
                let found = try await store.caller.call(
                    SubscriptionEndpoints.search, SubscriptionListRequest(bundleId: app, account: "alice")
                ).subscriptions
                let number = try #require(found.first?.originalTransactionIdentifier)
                #expect(found.count == 1, "\(app)")
                let due = try await store.database.read { reader in
                    try await SubscriptionLookup.find(
                        ScopedIdentifier(number, in: IsolationScope(of: app)), in: reader)
                }
                #expect(due.tester?.processor == (app == Catalogue.bundleId ? nil : .decline), "\(app)")
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `a number that two apps have given is refused with both apps' names`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            func buy(_ app: String) async throws -> PaymentTransaction {
                let account = try await store.caller.call(
                    PaymentEndpoints.openAccount, OpenAccountRequest(bundleId: app, account: "alice", deviceId: "phone")
                )
                return try await store.caller.call(
                    PaymentEndpoints.addPayment,
                    AddPaymentRequest(
                        bundleId: app, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                        payment: Payment(requestIdentifier: "1", productIdentifier: "coins"))
                ).transaction
            }
            let (one, other) = (try await buy(Catalogue.bundleId), try await buy("com.example.b"))
            let number = try #require(one.transactionIdentifier)
            _ = try await store.database.write { transaction in
                try await transaction.execute(
                    "UPDATE payment_transaction SET transaction_number = ? WHERE id = ?", Int64(number), other.id)
            }
            let refused = try await refusal { try await store.find(number) }
            #expect(refused?.code == .requestInvalid)
            for word in [Catalogue.bundleId, "com.example.b", one.id, other.id] {
                #expect(refused?.message.contains(word) == true, "\(word)")
            }
            #expect(try await store.find(other.id).transaction.id == other.id)
        }
    }

    /// One request of an operator's about one object.
    private struct Operation: Sendable {
        var name: String
        var send: @Sendable (ServiceCaller, ScopedIdentifier) async throws -> Void

        init<Request, Reply>(
            _ endpoint: Endpoint<Request, Reply>, _ request: @escaping @Sendable (ScopedIdentifier) -> Request
        ) {
            name = endpoint.subject
            send = { _ = try await $0.call(endpoint, request($1)) }
        }
    }

    private static let ofTransactions: [Operation] =
        [
            Operation(PaymentEndpoints.findTransaction) { $0 }, Operation(PaymentEndpoints.redeliverTransaction) { $0 },
            Operation(PaymentEndpoints.approveTransaction) { OperateTransactionRequest($0) },
            Operation(PaymentEndpoints.declineTransaction) { OperateTransactionRequest($0) },
            Operation(PaymentEndpoints.resolveTransaction) { OperateTransactionRequest($0) },
            Operation(ServerAPIEndpoints.openRefundRequest) { OpenRefundRequest($0, reason: .other) },
            Operation(SubscriptionEndpoints.refund) { RefundRequest($0) },
            Operation(SubscriptionEndpoints.revoke) { RefundRequest($0) },
            Operation(ServerAPIEndpoints.reverseRefund) { RefundRequest($0) },
            Operation(PaymentEndpoints.deleteTransaction) { $0 },
        ]

    private static let ofSubscriptions =
        [Operation(SubscriptionEndpoints.timeline) { TimelineRequest($0) }]
        + OperateSubscriptionRequest.Operation.allCases.map { operation in
            Operation(SubscriptionEndpoints.operate) {
                OperateSubscriptionRequest($0, operation: operation, days: operation == .extend ? 1 : nil)
            }
        }

    private static let ofRefundRequests = [
        Operation(ServerAPIEndpoints.getRefundRequest) { $0 },
        Operation(ServerAPIEndpoints.grantRefundRequest) { GrantRefundRequest($0) },
        Operation(ServerAPIEndpoints.declineRefundRequest) { $0 },
    ]

    private static let ofPrompts = [
        Operation(PaymentEndpoints.answerPrompt) { AnswerPromptRequest($0, answer: .approve) }
    ]

    /// What an app's customer has: a subscription with an open refund request, and a purchase that waits for a parent.
    private func fill(
        _ bundleId: String, in store: TestStore
    ) async throws -> (transactions: [PaymentTransaction], refundRequest: String, prompt: String) {
        let scope = IsolationScope(of: bundleId)
        let account = try await store.caller.call(
            PaymentEndpoints.openAccount, OpenAccountRequest(bundleId: bundleId, account: "alice", deviceId: "phone"))
        func buy(_ product: String, key: String) async throws -> PaymentTransaction {
            try await store.caller.call(
                PaymentEndpoints.addPayment,
                AddPaymentRequest(
                    bundleId: bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                    payment: Payment(requestIdentifier: key, productIdentifier: product))
            ).transaction
        }
        let subscription = try await buy("basic.monthly", key: "1")
        let asked = try await store.caller.call(
            ServerAPIEndpoints.openRefundRequest,
            OpenRefundRequest(ScopedIdentifier(subscription.id, in: scope), reason: .other))
        try await store.set("alice", TesterSettings(askToBuy: true), in: scope)
        let deferred = try await buy("coins", key: "2")
        try await store.forget("alice", in: scope)
        let prompts = try await store.caller.call(
            PaymentEndpoints.listPrompts, PromptsRequest(bundleId: scope.bundleId)
        ).prompts
        return ([subscription, deferred], asked.refundRequestIdentifier, try #require(prompts.first).id)
    }

    /// Every row of what customers have, as text.
    private func contents(of store: TestStore) async throws -> [String] {
        try await store.database.read { reader in
            var rows: [String] = []
            for table in ["payment_transaction", "refund_request", "refund", "prompt", "subscription", "journal"] {
                rows += try await reader.query("SELECT * FROM \(table)").map { "\(table) \($0)" }.sorted()
            }
            return rows
        }
    }

    @Test(arguments: Engine.allCases)
    func `an operator's request finds nothing of another store, nor of the installation, and changes nothing`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            let scopes = [IsolationScope.installation, IsolationScope(Self.first), IsolationScope(Self.third)]
            for scope in scopes {
                let own = try await fill(scope.bundleId ?? Catalogue.bundleId, in: store)
                let subjects =
                    own.transactions.flatMap { [$0.id, $0.transactionIdentifier].compactMap(\.self) }
                    .map { ($0, Self.ofTransactions + Self.ofSubscriptions) }
                    + [(own.refundRequest, Self.ofRefundRequests), (own.prompt, Self.ofPrompts)]
                let before = try await contents(of: store)
                for (id, operations) in subjects {
                    for operation in operations {
                        for other in scopes where other != scope {
                            let foreign = try await refusal {
                                try await operation.send(store.caller, ScopedIdentifier(id, in: other))
                            }
                            let missing = try await refusal {
                                try await operation.send(store.caller, ScopedIdentifier("none", in: other))
                            }
                            #expect(foreign?.code == .notFound, "\(operation.name) of \(id) in '\(other.key)'")
                            #expect(foreign == missing, "\(operation.name) of \(id)")
                        }
                    }
                }
                #expect(try await contents(of: store) == before)
                // The objects are there, so `notFound` was about where they were looked for.
                let objects =
                    [
                        (own.refundRequest, Self.ofRefundRequests), (own.prompt, Self.ofPrompts),
                        (own.transactions[0].id, Self.ofSubscriptions),
                    ] + own.transactions.map { ($0.id, Self.ofTransactions) }
                for (id, operations) in objects {
                    for operation in operations {
                        let own = try await refusal {
                            try await operation.send(store.caller, ScopedIdentifier(id, in: scope))
                        }
                        #expect(own?.code != .notFound, "\(operation.name) of its own \(id)")
                    }
                }
            }
        }
    }

    /// Opens the account's session in an app, and buys the coins.
    private func state(
        _ bundleId: String, in store: TestStore, key: String
    ) async throws -> (storefront: String, state: TransactionState) {
        let account = try await store.caller.call(
            PaymentEndpoints.openAccount, OpenAccountRequest(bundleId: bundleId, account: "alice", deviceId: "phone"))
        let bought = try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                payment: Payment(requestIdentifier: key, productIdentifier: "coins")))
        return (account.storefront, bought.transaction.transactionState)
    }

    @Test(arguments: Engine.allCases)
    func `an account's settings in a store are seen in that store alone, and go with it`(_ engine: Engine) async throws
    {
        try await TestStore.with(engine) { store in
            let apps = [Catalogue.bundleId, Self.first.bundleId, Self.second.bundleId]
            let scopes = apps.map(IsolationScope.init(of:))
            for (app, scope) in zip(apps, scopes) {
                _ = try await state(app, in: store, key: "before")
                let set = TesterSettings(storefront: "FRA", askToBuy: true)
                #expect(try await store.set("alice", set, in: scope).settings == set)
                for (other, otherScope) in zip(apps, scopes) {
                    let isOwn = other == app
                    let found = try await state(other, in: store, key: "in \(app)")
                    #expect(found.state == (isOwn ? .deferred : .purchased), "\(other) when it is set in \(app)")
                    #expect(found.storefront == (isOwn ? "FRA" : "USA"))
                    #expect(
                        try await store.tester("alice", in: otherScope).settings == (isOwn ? set : TesterSettings()))
                    let listed = try await store.testers(in: otherScope).testers
                    #expect(listed.map(\.settings) == [isOwn ? set : TesterSettings()])
                    #expect(listed.map(\.effective.storefront) == [isOwn ? "FRA" : "USA"])
                }
                try await store.set("alice", TesterSettings(storefront: "USA"), in: scope)
                try await store.forget("alice", in: scope)
            }
            try await store.set("nobody", TesterSettings(askToBuy: true), in: scopes[1])
            #expect(try await store.testers(in: scopes[1]).testers.map(\.account) == ["alice", "nobody"])
            #expect(try await store.testers(in: scopes[2]).testers.map(\.account) == ["alice"])
            _ = try await store.caller.call(PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: Self.first.bundleId))
            #expect(try await store.testers(in: scopes[1]).testers.isEmpty)
            #expect(try await store.testers(in: scopes[2]).testers.map(\.account) == ["alice"])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a second writer of a purchase uses no number up`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let number = try #require(try await buy(Self.first, in: store)[1])
            try await store.database.write { transaction in
                let stored = try #require(
                    try await TransactionRepository.find(
                        ScopedIdentifier("\(number)", in: IsolationScope(Self.first)), in: transaction))
                // As the sweep and the request do when both have heard from the processor.
                _ = try await CustomerCommits.decide(
                    stored.customer, in: transaction, clock: store.current.service.purchases.clock
                ) { state in try state.conclude(stored) }
            }
            let next = try await store.database.write { transaction in
                try await CounterRepository.next(.transaction, of: Self.first.bundleId, in: transaction)
            }
            #expect(next == [number + 1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a store is copied beside no work, and each change of it makes another mark`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let bought = try await buy(Self.first, in: store)
            _ = try await store.current.service.captures.captureAll()
            let request = CopyAppRequest(from: Self.first.bundleId, to: Self.second.bundleId)
            func mark() async throws -> AppMark {
                try await store.caller.call(PaymentEndpoints.markApp, AppRequest(bundleId: Self.first.bundleId))
            }
            func setPhase(_ phase: String) async throws {
                _ = try await store.database.write { transaction in
                    try await transaction.execute(
                        "UPDATE payment_transaction SET phase = ? WHERE transaction_number = ?", phase, bought[0])
                }
            }
            for phase in ["charging", "granting", "waiting"] {
                try await setPhase(phase)
                let refused = await #expect(throws: StoreError.self) {
                    try await store.caller.call(PaymentEndpoints.copyApp, request)
                }
                #expect(refused?.code == .serviceUnavailable)
                #expect(refused?.retryAfterMs == 0)
            }
            try await setPhase("settled")
            let copied = try await store.caller.call(PaymentEndpoints.copyApp, request)
            #expect(try await mark() == copied)
            // Equal keys are the payments of before.
            #expect(try await buy(Self.second, in: store) == bought)
            #expect(try await mark() == copied, "the copy is another store")
            _ = try await store.caller.call(
                SubscriptionEndpoints.putClock,
                PutClockRequest(bundleId: Self.first.bundleId, rate: nil, now: nil, frozen: true))
            let frozen = try await mark()
            #expect(frozen != copied)
            let named = ScopedIdentifier("\(bought[1] ?? 0)", in: IsolationScope(Self.first))
            _ = try await store.caller.call(
                ServerAPIEndpoints.openRefundRequest, OpenRefundRequest(named, reason: .other))
            #expect(try await mark() != frozen)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a removed store leaves nothing, and others keep what they have`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            _ = try await buy(Self.first, in: store)
            _ = try await buy(Self.second, in: store)
            for _ in 0..<2 {
                let reply = try await store.caller.call(
                    PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: Self.first.bundleId))
                #expect(reply.isDone)
            }
            func count(_ app: IsolatedApp) async throws -> Int {
                try await store.caller.call(
                    PaymentEndpoints.listTransactions, TransactionListRequest(bundleId: app.bundleId)
                ).transactions.count
            }
            #expect(try await count(Self.first) == 0)
            #expect(try await count(Self.second) == 2)
            // Nothing is remembered, not even how far it has counted.
            #expect(try await buy(Self.first, in: store).first == 2_000_000_004_200_001)
        }
    }

    @Test(arguments: Engine.allCases)
    func `removing stores takes no event from those who read on, of the installation or of other stores`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            // Both logs are read to their ends at every step, as by a prompt reader.
            var (after, changes): (String?, [String]) = (nil, [])
            var (position, states) = (try await store.position(), [String]())
            func readOn() async throws {
                let stored = try await store.database.read { reader in
                    try await reader.query("SELECT body FROM server_event").count
                }
                try await eventually("every event is read") {
                    let page = try await store.caller.call(
                        ServerAPIEndpoints.listEvents, ServerEventsRequest(after: after, limit: 100))
                    after = page.after ?? after
                    for event in page.events where event.bundleId == Catalogue.bundleId {
                        changes += event.changes.compactMap(\.transaction.item.transactionIdentifier)
                    }
                    let end = try await store.caller.call(
                        ServerAPIEndpoints.listEvents, ServerEventsRequest(after: after, limit: 1))
                    return end.events.isEmpty && (stored == 0 || after != nil)
                }
                let reply = try await store.events(after: position, limit: 100)
                position = reply.after
                states += reply.events.filter { $0.type == .purchased }.compactMap(\.transaction.transactionIdentifier)
            }
            var bought: [String] = []
            for number in 0..<6 {
                let app = IsolatedApp(shownBundleId: Catalogue.bundleId, number: 100 + Int64(number), seed: 42)
                _ = try await buy(app, in: store)
                try await readOn()
                _ = try await store.caller.call(PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: app.bundleId))
                bought.append(
                    try #require(try await alice.add("coins", key: "\(number)").transaction.transactionIdentifier))
            }
            try await eventually("the last event is read") {
                try await readOn()
                return changes.count >= bought.count && states.count >= bought.count
            }
            #expect(changes == bought)
            #expect(states == bought)
        }
    }

    @Test func `an app of the installation is not removed without its deletion`() async throws {
        try await TestStore.with { store in
            _ = try await store.customerApp().add("coins", key: "1")
            let error = try await refusal {
                try await store.caller.call(PaymentEndpoints.removeApp, RemoveAppRequest(bundleId: Catalogue.bundleId))
            }
            #expect(error?.code == .requestInvalid)
            #expect(try await store.transactions().count == 1)
        }
    }
}

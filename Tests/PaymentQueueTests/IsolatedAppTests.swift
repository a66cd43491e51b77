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

    /// Buys a consumable twice; returns what clients see of the numbers.
    private func buy(_ app: IsolatedApp, in store: TestStore) async throws -> [Int64?] {
        let account = try await store.caller.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(bundleId: app.bundleId, account: "alice", deviceId: "phone"))
        var shown: [Int64?] = []
        for key in ["1", "2"] {
            let bought = try await store.caller.call(
                PaymentEndpoints.addPayment,
                AddPaymentRequest(
                    bundleId: app.bundleId, customerIdentifier: account.customerIdentifier, deviceId: "phone",
                    payment: Payment(requestIdentifier: key, productIdentifier: "coins", quantity: 1)))
            let number = try #require(bought.transaction.transactionIdentifier.flatMap(Int64.init))
            #expect(IsolatedApp.inside.contains(number))
            shown.append(app.shown(number))
        }
        let found = try await store.caller.call(
            ServerAPIEndpoints.appTransaction,
            AppTransactionRequest(bundleId: app.bundleId, customerIdentifier: account.customerIdentifier))
        shown.append(Int64(found.appTransactionIdentifier).flatMap(app.shown))
        return shown
    }

    @Test(arguments: Engine.allCases)
    func `stores of equal seeds count alike, whatever else is bought`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.shopper()
            let ordinary = try #require(
                try await alice.add("coins", key: "1").transaction.transactionIdentifier.flatMap(Int64.init))
            #expect(!IsolatedApp.inside.contains(ordinary))
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
    func `the operator reads and redelivers a transaction in its own store only`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let ordinary = try await store.shopper().add("coins", key: "1").transaction
            _ = try await buy(Self.first, in: store)
            _ = try await buy(Self.second, in: store)
            let inside = try await store.caller.call(
                PaymentEndpoints.listTransactions, TransactionListRequest(bundleId: Self.first.bundleId))
            let own = try #require(inside.transactions.first)
            let found = try await store.find(own.id, in: Self.first.bundleId)
            #expect(found.transaction == own)
            #expect(found.record == inside.records?.first)
            #expect(try await store.redeliver(own.id, in: Self.first.bundleId).revision == own.revision + 1)
            for other in [nil, Self.second.bundleId] {
                #expect(try await refusal { try await store.find(own.id, in: other) }?.code == .notFound)
                #expect(try await refusal { try await store.redeliver(own.id, in: other) }?.code == .notFound)
            }
            #expect(try await store.find(ordinary.id).transaction == ordinary)
            #expect(try await refusal { try await store.find(ordinary.id, in: Self.first.bundleId) }?.code == .notFound)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a second writer of a purchase uses no number up`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let first = try await buy(Self.first, in: store)
            let number = try #require(first[1].flatMap(Self.first.number(shown:)))
            try await store.database.write { transaction in
                let stored = try #require(
                    try await TransactionRepository.find(identifier: "\(number)", in: transaction))
                // As the sweep and the request do when both have heard from the processor.
                _ = try await CustomerTransaction.run(
                    stored.customer, in: transaction, clock: store.current.service.purchases.clock
                ) { commit in try await commit.conclude(stored) }
            }
            let next = try await store.database.write { transaction in
                try await CounterRepository.next(.transaction, of: Self.first.bundleId, in: transaction)
            }
            #expect(next == [number + 1])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a removed store leaves nothing, and others keep what they have`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            _ = try await buy(Self.first, in: store)
            _ = try await buy(Self.second, in: store)
            for _ in 0..<2 {
                let reply = try await store.caller.call(
                    PaymentEndpoints.removeApp, AppRequest(bundleId: Self.first.bundleId))
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
            let alice = try await store.shopper()
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
                _ = try await store.caller.call(PaymentEndpoints.removeApp, AppRequest(bundleId: app.bundleId))
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

    @Test func `an app of the installation is not removed`() async throws {
        try await TestStore.with { store in
            _ = try await store.shopper().add("coins", key: "1")
            let error = try await refusal {
                try await store.caller.call(PaymentEndpoints.removeApp, AppRequest(bundleId: Catalogue.bundleId))
            }
            #expect(error?.code == .requestInvalid)
            #expect(try await store.transactions().count == 1)
        }
    }
}

import BusClient
import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: purchases that wait for others cost other customers nothing: no place in the handler, no look at them before
/// what they wait for has ended, and no more of them than a customer may have.
@Suite(.serialized) struct WaitingPurchaseTests {
    /// More than the endpoint takes at once.
    private static let crowd = BusServiceLimits.bulkhead + 40

    @Test(arguments: Engine.allCases)
    func `P8: behind a person a purchase is answered 202 at once, and goes on with the answer`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let first = try await alice.add("beaches", key: "1")
            #expect(first.status == 202)
            try await store.set("alice", TesterSettings(sheet: .auto))
            // The deadline is far: a request that waited for the person would not come back before it.
            let second = try await alice.add("beaches", key: "2", within: .seconds(300))
            #expect(second.status == 202)
            #expect(second.transaction.transactionState == .purchasing)
            let replay = try await alice.add("beaches", key: "2", within: .seconds(300))
            #expect(replay.transaction == second.transaction)
            // Nothing is left to do, so nothing is looked at.
            let janitor = store.current.service.purchases
            #expect(try await janitor.sweep(now: .now + .seconds(60)) == 0)
            try await store.answer(try await store.prompt().id, .approve)
            try await store.settle()
            #expect(try await alice.get(second.transaction.id).transactionState == .purchased)
            #expect(try await store.charges().map(\.amount) == [.usd("1.99")])
        }
    }

    @Test(arguments: [Prompt.Answer.cancel, nil], Engine.allCases)
    func `P8: what waited for a purchase that ended without goods, or was deleted, goes on by itself`(
        _ answer: Prompt.Answer?, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            let first = try await alice.add("beaches", key: "1").transaction
            try await store.set("alice", TesterSettings(sheet: .auto))
            let second = try await alice.add("beaches", key: "2", within: .seconds(300)).transaction
            if let answer {
                try await store.answer(try await store.prompt().id, answer)
            } else {
                try await store.delete(first.id)
            }
            // Another process has to find it too.
            try await store.restartQueue()
            try await store.settle()
            let bought = try await alice.get(second.id)
            #expect(bought.transactionState == .purchased)
            #expect(bought.price == .usd("1.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `of one customer a hundred purchases wait, the next fails and says what is unfinished`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            _ = try await alice.add("beaches", key: "first")
            for number in 0..<PurchasePolicy.waitingMax {
                #expect(try await alice.add("beaches", key: "\(number)").status == 202)
            }
            let refused = try await alice.add("beaches", key: "one more")
            #expect(refused.status == 201)
            #expect(refused.transaction.transactionState == .failed)
            #expect(refused.transaction.error?.code == 0)
            #expect(refused.transaction.error?.reason == "unfinishedTransactions")
            // Other products do not wait, and other customers have their own hundred.
            try await store.set("alice", TesterSettings(sheet: .auto))
            #expect(try await alice.add("coins", key: "coins").transaction.transactionState == .purchased)
            let bob = try await store.customerApp("bob", device: "pad")
            #expect(try await bob.add("beaches", key: "1").transaction.transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func
        `one customer who posts more purchases than the endpoint takes, behind a sheet, keeps no other from buying`(
            _ engine: Engine
        ) async throws
    {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp(), try await store.customerApp("bob", device: "pad"))
            try await store.set("alice", TesterSettings(sheet: .interactive))
            _ = try await alice.add("beaches", key: "first")
            try await crowd(of: alice, "beaches") {
                try await eventually("the crowd waits") {
                    // Behind the crowd a snapshot may be late.
                    let snapshot = try? await alice.snapshot(limit: 100)
                    return snapshot?.transactions.count == 100
                }
                try await Self.buy(bob)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `one customer whose charges hang has a part of the places, and what was begun is charged in the end`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp(), try await store.customerApp("bob", device: "pad"))
            store.processor.set(trouble: .heldOf(alice.customer))
            try await crowd(of: alice, "coins") {
                try await eventually("charges hang") { store.processor.heldCount > 64 }
                try await Self.buy(bob)
                store.processor.release()
            }
            try await store.settle()
            let charged = try await store.charges().count { $0.outcome == .approved }
            let sold = try await store.database.read { reader in
                try await reader.query("SELECT id FROM payment_transaction WHERE state = 'purchased'").count
            }
            #expect(charged == min(sold, 500))
            #expect(sold > BusServiceLimits.bulkhead / 8)
        }
    }

    /// Runs a body during a crowd of purchases of one customer.
    private func crowd(of customerApp: CustomerApp, _ product: String, _ body: () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<Self.crowd {
                group.addTask { _ = try? await customerApp.add(product, key: "crowd \(number)", within: .seconds(60)) }
            }
            do {
                try await body()
            } catch {
                group.cancelAll()
                throw error
            }
            try await group.waitForAll()
        }
    }

    /// Buys over a connection of its own, which the crowd's calls do not count against. On a busy machine that takes
    /// several requests with one key; behind the crowd none of them would succeed.
    private static func buy(_ bob: CustomerApp) async throws {
        let caller = ServiceCaller(bus: bob.store.bus.client(name: "another gateway"), caller: "another gateway")
        try await eventually("bob has bought", within: .seconds(60)) {
            let reply = try? await caller.call(
                PaymentEndpoints.addPayment,
                AddPaymentRequest(
                    bundleId: Catalogue.bundleId, customerIdentifier: bob.customer, deviceId: bob.device,
                    payment: Payment(requestIdentifier: "bob's", productIdentifier: "coins")),
                context: CallContext(deadline: .now + .seconds(20)))
            return reply?.transaction.transactionState == .purchased
        }
    }
}

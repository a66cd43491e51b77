import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a cleared customer is as new, open streams report what left their queue, and no charge is left behind by a
/// purchase that was in flight.
@Suite(.serialized) struct ClearHistoryTests {
    @Test(arguments: Engine.allCases)
    func `everything a customer has bought is gone, the customer and the journal stay`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            for customerApp in [alice, bob] {
                for product in ["coins", "beaches", "pro.monthly", "nothing"] {
                    let value = try await customerApp.add(product, key: product).transaction
                    if product == "beaches" { try await customerApp.finish(value.id) }
                }
            }
            let before = try await alice.changes()
            #expect(try await store.clear("alice") == 4)
            #expect(try await alice.snapshot().transactions.isEmpty)
            #expect(try await alice.history().transactions.isEmpty)
            #expect(try await alice.offers().isEmpty)
            // The journal goes on without a gap: what was in the queue is removed, what was finished was not in it.
            let after = try await alice.changes(after: before.head)
            #expect(after.changes.map(\.kind) == [.removed, .removed, .removed])
            #expect(after.changes.map(\.seq) == (1...3).map { before.head + $0 })
            // As new: the same keys buy again, with the offer, and the product is paid for.
            let offer = try await alice.add("pro.monthly", key: "pro.monthly")
            #expect(!offer.isReplayed)
            #expect(offer.transaction.offer?.paymentMode == .freeTrial)
            #expect(offer.transaction.original == nil)
            #expect(try await alice.add("beaches", key: "beaches").transaction.price == .usd("1.99"))
            // No other customer's.
            #expect(try await bob.history().transactions.count == 3)
            #expect(try await store.clear("alice") == 2)
            #expect(try await store.clear("alice") == 0)
            #expect(try await store.clear() == 4)
            #expect(try await store.transactions().isEmpty)
            #expect(try await store.customerApp("alice").customer == alice.customer)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an account that is unknown in the app is notFound, another app's stays`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "k")
            let error = try await refusal { try await store.clear("nobody") }
            #expect(error?.code == .notFound)
            let other = try await store.caller.call(
                PaymentEndpoints.clearHistory, ClearHistoryRequest(bundleId: "com.example.b"))
            #expect(other.removed == 0)
            #expect(try await alice.snapshot().transactions.count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `open sheets and questions go with their purchases`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(askToBuy: true))
            _ = try await alice.add("coins", key: "1")
            try await store.set("alice", TesterSettings(sheet: .interactive))
            _ = try await alice.add("pro.monthly", key: "2")
            let prompts = try await store.prompts().prompts
            #expect(prompts.map(\.kind) == [.askToBuy, .sheet])
            #expect(try await store.clear("alice") == 2)
            #expect(try await store.prompts().prompts.isEmpty)
            for prompt in prompts {
                let late = try await refusal { try await store.answer(prompt.id, .approve) }
                #expect(late?.code == .notFound)
            }
            #expect(try await store.charges().isEmpty)
            #expect(try await alice.offers().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `in flight and not charged: the processor gives it up, it fails with 2 and is gone`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .before)
            let begun = try await alice.begin("coins", key: "k").transaction
            #expect(try await store.clear("alice") == 1)
            store.processor.set(trouble: .none)
            #expect(try await store.current.service.purchases.sweep() == 0)
            let changes = try await alice.changes().changes
            #expect(changes.map(\.transaction?.transactionState) == [.purchasing, .failed, .failed])
            #expect(changes.map(\.kind) == [.updated, .updated, .removed])
            #expect(changes[1].transaction?.error?.code == 2)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
            // The key is forgotten, and buys under a charge of its own.
            let again = try await alice.add("coins", key: "k")
            #expect(again.transaction.id != begun.id)
            #expect(try await store.charges().map(\.outcome) == [.cancelled, .approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `in flight and charged already: it ends as purchased before it is gone`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .after)
            _ = try await alice.begin("coins", key: "k")
            try await store.awaitCharge()
            #expect(try await store.clear("alice") == 1)
            let changes = try await alice.changes().changes
            #expect(changes.map(\.transaction?.transactionState) == [.purchasing, .purchased, .purchased])
            #expect(changes.last?.kind == .removed)
            #expect(try await store.charges().map(\.outcome) == [.approved])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a charge that comes late finds its tombstone, and a purchase under way no row; both end quietly`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .held)
            async let late = refusal { try await alice.add("coins", key: "k") }
            try await eventually("the charge is on its way") { store.processor.heldCount == 1 }
            #expect(try await store.clear("alice") == 1)
            store.processor.release()
            #expect(try await late?.code == .notFound)
            #expect(try await store.charges().map(\.outcome) == [.cancelled])
            #expect(try await store.current.service.purchases.sweep() == 0)
            #expect(try await alice.add("coins", key: "k").transaction.transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase that waits for another is removed with it, and its request gets an error`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            store.processor.set(trouble: .held)
            async let first = refusal { try await alice.add("beaches", key: "1", within: .seconds(20)) }
            try await eventually("the first one is being charged") { store.processor.heldCount == 1 }
            async let waiting = refusal { try await alice.add("beaches", key: "2", within: .seconds(20)) }
            try await eventually("both have begun") { try await alice.snapshot().transactions.count == 2 }
            let removed = try await store.clear(within: .seconds(20))
            #expect(removed == 2)
            store.processor.release()
            #expect(try await first?.code == .notFound)
            #expect(try await waiting?.code == .notFound)
            #expect(try await store.charges().allSatisfy { $0.outcome == .cancelled })
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase behind an open sheet is removed with it, and its key buys again`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(sheet: .interactive))
            for key in ["1", "2"] { #expect(try await alice.add("beaches", key: key).status == 202) }
            #expect(try await store.clear() == 2)
            #expect(try await store.prompts().prompts.isEmpty)
            try await store.set("alice", TesterSettings(sheet: .auto))
            #expect(try await alice.add("beaches", key: "2").transaction.price == .usd("1.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `while the processor is away nothing is removed that it may have charged`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let begun = try await alice.begin("coins", key: "k").transaction
            let error = try await refusal { try await store.clear() }
            #expect(error?.code == .serviceUnavailable)
            #expect(try await alice.snapshot().transactions.map(\.id) == [begun.id])
            try await store.startProcessor()
            #expect(try await store.clear() == 1)
        }
    }

    @Test(
        arguments: [
            Checkpoint.afterCancel, .insideOutcomeCommit, .afterOutcomeCommit, .insideRemovalCommit,
            .afterRemovalCommit,
        ], Engine.allCases)
    func `P1, P3: dead while clearing, the next process clears what is left and no charge is left behind`(
        _ checkpoint: Checkpoint, _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("beaches", key: "1")
            store.processor.set(trouble: .before)
            _ = try await alice.begin("coins", key: "k")
            store.current.crash.arm(checkpoint)
            await #expect(throws: StoreError.self) { try await store.clear() }
            #expect(store.current.crash.hasCrashed)
            store.processor.set(trouble: .none)
            try await store.restartQueue()
            try await store.settle()
            #expect(try await store.clear() == (checkpoint == .afterRemovalCommit ? 0 : 2))
            let changes = try await alice.changes().changes
            #expect(changes.map(\.seq) == Array(1...Int64(changes.count)))
            let purchased = changes.filter { $0.kind == .updated && $0.transaction?.transactionState == .purchased }
            let approved = try await store.charges().filter { $0.outcome == .approved }
            #expect(approved.map(\.chargeKey) == purchased.map { "purchase:\($0.transaction?.id ?? "")" })
            #expect(try await alice.add("coins", key: "k").transaction.transactionState == .purchased)
        }
    }

    @Test(arguments: Engine.allCases)
    func `more than fit one commit go all the same`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let count = HistoryService.removalMax + 20
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<count {
                    if number >= 16 { try await group.next() }
                    group.addTask { _ = try await alice.add("gift", key: "\(number)") }
                }
                try await group.waitForAll()
            }
            #expect(try await store.clear(within: .seconds(30)) == count)
            #expect(try await store.transactions().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `reset clears the app and sets its clock to the wall clock; testers and customers stay`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let (alice, bob) = (try await store.customerApp("alice"), try await store.customerApp("bob"))
            try await store.set("alice", TesterSettings(storefront: "FRA"))
            for customerApp in [alice, bob] { _ = try await customerApp.add("coins", key: "k") }
            _ = try await store.database.write { transaction in
                try await transaction.execute("UPDATE app_clock SET anchor_business = 0, rate_millionths = 0")
            }
            #expect(try await store.reset() == 2)
            #expect(try await store.reset() == 0)
            #expect(try await store.transactions().isEmpty)
            #expect(try await store.tester("alice").settings == TesterSettings(storefront: "FRA"))
            #expect(try await store.customerApp("alice").customer == alice.customer)
            store.advance(by: .seconds(5))
            #expect(try await alice.add("coins", key: "k").transaction.transactionDate == store.now)
        }
    }

    /// Inserts a consumable as a commit that read the clock before it was set.
    private static let bought = """
        INSERT INTO payment_transaction (id, bundle_id, customer_identifier, created_seq, history_seq, state, phase,
            revision, product_identifier, origin_device_id, transaction_number, charge_key, body)
        SELECT 't_between', bundle_id, customer_identifier, 99, 99, 'purchased', 'settled', 2, 'coins', 'phone',
            2000000000000099, 'purchase:t_between',
            '{"id":"t_between","transactionIdentifier":"2000000000000099","transactionState":"purchased",\
        "transactionDate":"2036-01-01T10:00:00.000Z","payment":{"requestIdentifier":"k","productIdentifier":"coins",\
        "quantity":1,"simulatesAskToBuyInSandbox":false},"original":null,"originalTransactionIdentifier":null,\
        "error":null,"downloads":[],"revision":2,"deliveries":0,"originDeviceId":"phone"}'
        FROM customer
        """

    @Test func `what is bought between a reset's removal and its clock goes too`() async throws {
        try await TestStore.with { store in
            _ = try await store.customerApp()
            try await store.putClock("2036-01-01", frozen: true)
            _ = try await store.database.write { transaction in
                try await transaction.execute(
                    "CREATE TRIGGER between_commits BEFORE UPDATE ON app_clock BEGIN \(Self.bought); END")
            }
            #expect(try await store.reset() == 1)
            #expect(try await store.transactions().isEmpty)
        }
    }

    @Test func `what a commit under way writes while a reset sets the clock goes too`() async throws {
        try await TestStore.with(.postgres) { store in
            _ = try await store.customerApp()
            try await store.putClock("2036-01-01", frozen: true)
            let (locked, isLocked) = AsyncStream<Void>.makeStream()
            let (released, release) = AsyncStream<Void>.makeStream()
            async let buying: Void = store.database.write { transaction in
                _ = try await transaction.query("SELECT 1 FROM customer FOR UPDATE")
                isLocked.finish()
                for await _ in released {}
                try await transaction.execute(Self.bought)
            }
            for await _ in locked {}
            async let reset = store.reset()
            try await eventually("the clock is set") { try await store.clockState().epoch > 2 }
            release.finish()
            try await buying
            #expect(try await reset == 1)
            #expect(try await store.transactions().isEmpty)
        }
    }
}

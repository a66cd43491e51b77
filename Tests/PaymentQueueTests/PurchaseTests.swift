import BusService
import Persistence
import StoreModels
import StorebusTesting
import Testing

/// Goal: what a payment becomes, as the customer, the ledger and the journal see it.
@Suite(.serialized) struct PurchaseTests {
    @Test(arguments: Engine.allCases)
    func `M30, M37: purchasing is journalled before purchased, one charge of the quoted amount`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let reply = try await alice.add("coins", key: "k", quantity: 3)
            #expect(reply.status == 201)
            #expect(!reply.isReplayed)
            #expect(reply.transaction.transactionState == .purchased)
            #expect(reply.transaction.transactionIdentifier == "2000000000000001")
            #expect(reply.transaction.price == .usd("2.97"))
            #expect(reply.transaction.transactionDate == Timestamp(milliseconds: 1_795_000_000_000))
            let changes = try await alice.changes()
            #expect(changes.changes.map(\.seq) == [1, 2])
            #expect(changes.changes.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            #expect(changes.changes.map(\.transaction?.revision) == [1, 2])
            #expect(changes.head == 2)
            let charges = try await store.charges()
            #expect(charges.map(\.chargeKey) == ["purchase:\(reply.transaction.id)"])
            #expect(charges.map(\.amount) == [.usd("2.97")])
        }
    }

    @Test(arguments: Engine.allCases)
    func `a free product takes one commit and no charge`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let writes = store.database.statistics.writes
            let reply = try await alice.add("gift", key: "k")
            if engine == .sqlite { #expect(store.database.statistics.writes == writes + 1) }
            #expect(reply.transaction.transactionState == .purchased)
            #expect(
                try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing, .purchased])
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: [("nothing", 3), ("hidden", 5)], Engine.allCases)
    func `M37: what StoreKit reports is a failed transaction with 201, seen purchasing first, and nothing is charged`(
        _ failure: (product: String, code: Int), _ engine: Engine
    ) async throws {
        let (product, code) = failure
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product("hidden", .consumable, "1.00"), availability: .notForSale)
            let alice = try await store.customerApp()
            let reply = try await alice.add(product, key: "k")
            #expect(reply.status == 201)
            #expect(reply.transaction.transactionState == .failed)
            #expect(reply.transaction.error?.code == code)
            #expect(try await alice.changes().changes.map(\.transaction?.transactionState) == [.purchasing, .failed])
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M14: an account that may not pay gets error 4`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            try await store.set("alice", TesterSettings(canMakePayments: false))
            #expect(try await alice.add("coins", key: "k").transaction.error?.code == 4)
            #expect(try await store.charges().isEmpty)
        }
    }

    @Test(arguments: Engine.allCases)
    func `M52: at the limit of unfinished transactions any product fails, after a finish it sells`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.product("coins", .consumable, "0.99"), unfinishedLimit: 1)
            let alice = try await store.customerApp()
            let first = try await alice.add("coins", key: "1").transaction
            let refused = try await alice.add("coins", key: "2").transaction
            #expect(refused.error?.reason == "unfinishedTransactions")
            try await alice.finish(first.id)
            #expect(try await alice.add("coins", key: "3").transaction.transactionState == .purchased)
            #expect(try await store.charges().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P5: a declined charge is failed with 0, and stays so`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.processor.set(outcome: .declined)
            let alice = try await store.customerApp()
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 201)
            #expect(reply.transaction.error?.code == 0)
            #expect(reply.transaction.error?.localizedDescription == "No money.")
            #expect(reply.transaction.transactionIdentifier == nil)
            store.processor.set(outcome: .approved)
            let again = try await alice.add("coins", key: "k")
            #expect(again.isReplayed)
            #expect(again.transaction == reply.transaction)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: an owned non-consumable is purchased again for nothing`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await alice.add("beaches", key: "1").transaction
            let second = try await alice.add("beaches", key: "2").transaction
            #expect(second.transactionState == .purchased)
            #expect(second.price == .usd("0.00"))
            #expect(second.originalTransactionIdentifier == first.transactionIdentifier)
            #expect(second.transactionIdentifier != first.transactionIdentifier)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: eight purchases of one non-consumable at once are one charge`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let replies = try await withThrowingTaskGroup { group in
                for number in 0..<8 { group.addTask { try await alice.add("beaches", key: "k\(number)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 201 && $0.transaction.transactionState == .purchased })
            #expect(try await store.charges().count == 1)
            #expect(replies.map(\.transaction.price).count { $0 == .usd("1.99") } == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P8: when the first of two is declined, the waiting one is charged`(_ engine: Engine) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let first = try await alice.begin("beaches", key: "1")
            let second = try await alice.begin("beaches", key: "2")
            #expect([first.status, second.status] == [202, 202])
            #expect(second.transaction.price == nil)
            store.processor.set(outcome: .declined)
            try await store.startProcessor()
            #expect(try await alice.add("beaches", key: "1").transaction.transactionState == .failed)
            store.processor.set(outcome: .approved)
            let paid = try await alice.add("beaches", key: "2").transaction
            #expect(paid.transactionState == .purchased)
            #expect(paid.price == .usd("1.99"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `a purchase the processor charged another amount for is quarantined: neither given nor failed`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            // Another request has used the key of this purchase for another amount: reached by stopping before the
            // charge.
            store.processor.set(trouble: .before)
            let stuck = try await alice.begin("coins", key: "k").transaction
            store.processor.set(trouble: .none)
            let other = try await store.caller.call(
                ProcessorEndpoints.createCharge,
                CreateChargeRequest(
                    chargeKey: "purchase:\(stuck.id)", amount: .usd("5.00"), bundleId: "b", customerIdentifier: "c",
                    productIdentifier: "p"))
            #expect(other.outcome == .approved)
            let reply = try await alice.add("coins", key: "k")
            #expect(reply.status == 202)
            #expect(reply.transaction.transactionState == .purchasing)
            let attempts = store.processor.attempts
            try await store.settle()
            #expect(store.processor.attempts == attempts)
            let row = try await store.database.read { reader in
                try await reader.queryOne("SELECT phase FROM payment_transaction WHERE id = ?", stuck.id)
            }
            #expect(try row?["phase"] == "quarantined")
        }
    }

    @Test(arguments: Engine.allCases)
    func `without Catalog and without a known price nothing is committed`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await alice.add("coins", key: "1")
            await store.stopCatalogue()
            // Known and fresh or known and Catalog away: the last quote counts.
            #expect(try await alice.add("coins", key: "2").status == 201)
            #expect(try await refusal { try await alice.add("beaches", key: "3") }?.code == .serviceUnavailable)
            #expect(try await store.transactions().count == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `an unknown customer is notFound, and a bad request leaves nothing behind`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let stranger = CustomerApp(store: store, customer: "c_nobody", device: "phone")
            #expect(try await refusal { try await stranger.add("coins", key: "k") }?.code == .notFound)
            #expect(try await refusal { try await alice.add("coins", key: "k", quantity: 11) }?.status == 422)
            #expect(try await refusal { try await alice.add("coins", key: "ü") }?.code == .idempotencyKeyInvalid)
            #expect(try await store.transactions().isEmpty)
        }
    }
}

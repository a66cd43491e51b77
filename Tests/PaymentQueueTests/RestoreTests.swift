import BusService
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: a restore brings back what is owned, all of it and nothing else, to the device that asked, with one end; also
/// when a process dies in between, and however often it is asked for (M38 to M45; R1 to R4).
@Suite(.serialized) struct RestoreTests {
    /// Buys and finishes.
    private func buy(_ customerApp: CustomerApp, _ products: String...) async throws -> [PaymentTransaction] {
        var bought: [PaymentTransaction] = []
        for product in products {
            let value = try await customerApp.add(product, key: product).transaction
            try await customerApp.finish(value.id)
            bought.append(value)
        }
        return bought
    }

    @Test(arguments: Engine.allCases)
    func `M38, M39, M40, M41, R1: of four types two come back, with their originals, then the end`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await buy(alice, "coins", "beaches", "season", "pro.monthly", "news.weekly")
            store.advance(by: .seconds(86_400))
            let (start, head) = (try await store.position(), try await alice.changes().head)
            let restore = try await alice.restore(username: "a")
            #expect(restore.state == .finished)
            #expect(restore.restored == 3)
            #expect(restore.applicationUsername == "a")
            #expect(restore.error == nil)
            #expect(try await alice.restored(restore.restoreIdentifier) == restore)
            let changes = try await alice.changes(after: head).changes
            #expect(changes.map(\.kind) == [.updated, .updated, .updated, .restoreEnded])
            #expect(changes.last?.restore == restore)
            #expect(changes.last?.deviceId == "phone")
            let values = changes.compactMap(\.transaction)
            #expect(values.map(\.payment.productIdentifier) == ["beaches", "pro.monthly", "news.weekly"])
            for (value, original) in zip(values, [bought[1], bought[3], bought[4]]) {
                #expect(value.transactionState == .restored)
                #expect(value.revision == 1)
                #expect(value.transactionDate == store.now)
                #expect(value.original?.transaction == original)
                #expect(value.originalTransactionIdentifier == original.transactionIdentifier)
                #expect(value.payment == original.payment)
                #expect(value.expiresDate == original.expiresDate)
            }
            let identifiers = (bought + values).compactMap(\.transactionIdentifier)
            #expect(Set(identifiers).count == 8)
            #expect(
                try await store.events(after: start, count: 3).map(\.type) == [.restored, .restored, .restored])
            #expect(try await alice.history().transactions.suffix(3).map(\.id) == values.map(\.id))
        }
    }

    @Test(arguments: Engine.allCases) func `R2: a restore never asks the processor, and works while it is away`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches")
            let attempts = store.processor.attempts
            store.processor.set(trouble: .before)
            #expect(try await alice.restore().restored == 1)
            #expect(store.processor.attempts == attempts)
            #expect(try await store.charges().count == 1)
        }
    }

    @Test(arguments: Engine.allCases)
    func `R3: the same key is the same restore, another username is keyReused, another key restores again`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches")
            let first = try await alice.restore(key: "k", username: "a")
            let head = try await alice.changes().head
            #expect(try await alice.restore(key: "k", username: "a") == first)
            #expect(try await refusal { try await alice.restore(key: "k", username: "b") }?.code == .keyReused)
            #expect(try await refusal { try await alice.restore(key: "k") }?.code == .keyReused)
            #expect(try await alice.changes().head == head)
            // A payment's keys are others than a restore's.
            #expect(try await alice.add("coins", key: "k").status == 201)
            #expect(try await alice.restore(key: "2").restoreIdentifier != first.restoreIdentifier)
            #expect(try await alice.snapshot().transactions.count { $0.transactionState == .restored } == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `R3: one key many times at once is one restore, one set of transactions and one end`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches", "pro.monthly")
            let head = try await alice.changes().head
            let restores = try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { try await alice.restore() } }
                return try await group.reduce(into: Set<Restore>()) { $0.insert($1) }
            }
            #expect(restores.count == 1)
            #expect(try await alice.changes(after: head).changes.map(\.kind) == [.updated, .updated, .restoreEnded])
        }
    }

    @Test(arguments: Engine.allCases)
    func `R4, Q1, Q3: restored ones are unfinished on the asking device alone, and a finish takes nothing away`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let phone = try await store.customerApp()
            let original = try await buy(phone, "beaches")[0]
            let pad = phone.on(device: "pad")
            _ = try await pad.restore()
            let value = try #require(try await pad.snapshot().transactions.first)
            #expect(try await phone.snapshot().transactions.isEmpty)
            #expect(try await refusal { try await phone.get(value.id) }?.code == .notFound)
            #expect(try await refusal { try await phone.finish(value.id) }?.code == .notFound)
            for launch in 1...2 {
                try await store.restartQueue()
                #expect(try await pad.snapshot(launches: true).transactions.map(\.deliveries) == [launch])
            }
            try await pad.finish(value.id)
            #expect(try await pad.snapshot(launches: true).transactions.isEmpty)
            // The purchase stays: it comes back again, and buying it again costs nothing.
            #expect(try await pad.get(original.id).transactionState == .purchased)
            #expect(try await pad.restore(key: "2").restored == 1)
            #expect(try await pad.add("beaches", key: "again").transaction.price == .usd("0.00"))
        }
    }

    @Test(arguments: Engine.allCases)
    func `R1: bought twice, restored once, with the first purchase; a subscription with what is active now`(
        _ engine: Engine
    )
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let first = try await buy(alice, "beaches", "pro.monthly")
            try await alice.finish(try await alice.add("beaches", key: "again").transaction.id)
            // Two weeks of trial that are not to renew, then a new subscription of the group.
            try await alice.update(try #require(first[1].transactionIdentifier), renews: false)
            store.advance(by: .seconds(40 * 86_400))
            let renewed = try await alice.add("pro.yearly", key: "renewed").transaction
            try await alice.finish(renewed.id)
            #expect(try await alice.restore().restored == 2)
            let values = try await alice.snapshot().transactions
            #expect(values.map { $0.original?.transaction.id } == first.map(\.id))
            #expect(values[1].payment.productIdentifier == "pro.monthly")
            #expect(values[1].expiresDate == renewed.expiresDate)
        }
    }

    @Test(
        arguments: [
            (TesterSettings(signIn: .fails), 0, nil), (TesterSettings(signIn: .cancelled), 2, nil),
            (TesterSettings(simulatedErrors: .init(restore: "networkError")), 0, "networkError"),
            (TesterSettings(simulatedErrors: .init(restore: "cloudServiceRevoked")), 8, nil),
        ] as [(TesterSettings, Int, String?)])
    func `M42: a restore that fails says so with its error and restores nothing`(
        _ tester: TesterSettings, _ code: Int, _ reason: String?
    ) async throws {
        try await TestStore.with { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches")
            let head = try await alice.changes().head
            try await store.set("alice", tester)
            let failed = try await alice.restore()
            #expect(failed.state == .failed)
            #expect(failed.restored == 0)
            #expect(failed.error?.code == code)
            #expect(failed.error?.reason == reason)
            #expect(try await alice.changes(after: head).changes.map(\.restore) == [failed])
            #expect(try await alice.snapshot().transactions.isEmpty)
            // The key keeps its failure; a new one restores.
            try await store.forget("alice")
            #expect(try await alice.restore() == failed)
            #expect(try await alice.restore(key: "2").restored == 1)
        }
    }

    @Test(arguments: Engine.allCases) func `M42: the app's defaults fail a restore too`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.set(testerDefaults: TesterSettings(signIn: .cancelled))
            let alice = try await store.customerApp()
            #expect(try await alice.restore().error?.code == 2)
        }
    }

    @Test(arguments: Engine.allCases)
    func `R3: an end is in the device's snapshots until its stream has acknowledged it`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let phone = try await store.customerApp()
            _ = try await buy(phone, "beaches", "guide")
            let (finished, id) = try await { ($0, $0.restoreIdentifier) }(phone.restore())
            try await store.set("alice", TesterSettings(signIn: .fails))
            let failed = try await phone.restore(key: "2")
            try await store.restartQueue()
            #expect(try await phone.snapshot().restores == [finished, failed])
            #expect(try await phone.on(device: "pad").snapshot().restores.isEmpty)
            // With the last page only, behind everything that was restored.
            let page = try await phone.snapshot(limit: 1)
            #expect(page.restores.isEmpty)
            #expect(try await phone.snapshot(after: page.after, limit: 1).restores == [finished, failed])
            #expect(try await refusal { try await phone.on(device: "pad").acknowledge(id) }?.code == .notFound)
            for _ in 0..<2 { try await phone.acknowledge(id) }
            #expect(try await phone.snapshot(launches: true).restores == [failed])
            #expect(try await phone.restored(id) == finished)
        }
    }

    @Test(arguments: Engine.allCases) func `nothing owned is a restore that ends at once with nothing`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "coins", "season")
            #expect(try await alice.restore().restored == 0)
            #expect(try await alice.snapshot().restores.map(\.state) == [.finished])
        }
    }

    @Test(arguments: Engine.allCases) func `R1: a purchase in flight is no part of a restore, and goes on beside it`(
        _ engine: Engine
    ) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches")
            store.processor.set(trouble: .held)
            let pending = Task { try await alice.add("guide", key: "k", within: .seconds(10)) }
            // Its authorization is held too, and takes too long.
            try await eventually("it is being charged") { store.processor.heldCount == 2 }
            #expect(try await alice.restore().restored == 1)
            store.processor.release()
            let guide = try await pending.value.transaction
            #expect(guide.transactionState == .purchased)
            try await alice.finish(guide.id)
            #expect(try await alice.restore(key: "2").restored == 2)
        }
    }

    @Test(arguments: Engine.allCases) func `clearing history forgets restores and their keys`(_ engine: Engine)
        async throws
    {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            _ = try await buy(alice, "beaches")
            let restore = try await alice.restore()
            #expect(try await store.clear("alice") == 2)
            #expect(try await refusal { try await alice.restored(restore.restoreIdentifier) }?.code == .notFound)
            #expect(try await alice.snapshot().restores.isEmpty)
            let again = try await alice.restore()
            #expect(again.restored == 0)
            #expect(again.restoreIdentifier != restore.restoreIdentifier)
        }
    }

    @Test(arguments: Engine.allCases) func `a key, a device and a username have bounds`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            #expect(try await refusal { try await alice.restore(key: "ü") }?.code == .idempotencyKeyInvalid)
            #expect(try await refusal { try await alice.on(device: "").restore() }?.code == .requestInvalid)
            let long = String(repeating: "a", count: 4097)
            #expect(try await refusal { try await alice.restore(username: long) }?.code == .requestInvalid)
            #expect(try await refusal { try await alice.named("c_nobody").restore() }?.code == .notFound)
        }
    }
}

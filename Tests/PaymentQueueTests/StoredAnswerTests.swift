import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

@testable import PaymentQueue

/// Goal: all answers to one key are the same (P3), also that of a replica whose outcome came second.
/// Method: the processor's answer is written twice from the same knowledge, as two replicas write it that both have
/// asked, and a device gets the transaction between the two.
@Suite(.serialized) struct StoredAnswerTests {
    private static let answers = [ChargeReply.approved, .failed(TransactionError(.paymentCancelled, "declined"))]

    @Test(arguments: Engine.allCases, answers)
    func `P3: who comes second with the outcome answers what the first one has stored`(
        _ engine: Engine, _ answer: ChargeReply
    ) async throws {
        try await TestStore.with(engine, withProcessor: false) { store in
            let alice = try await store.customerApp()
            let begun = try await alice.begin("coins", key: "k").transaction
            let purchases = store.current.service.purchases
            let known = try #require(try await purchases.find(driven: begun.id))
            let first = try #require(try await purchases.commit(known, answer)).output.transaction
            #expect(first.transactionState.isTerminal)
            // A launch counts the delivery, which is no part of the answer.
            let delivered = try await alice.snapshot(launches: true).transactions
            #expect(delivered.map(\.deliveries) == [1])
            let second = try #require(try await purchases.commit(known, answer)).output.transaction
            #expect(second == first)
            let replay = try await alice.add("coins", key: "k")
            #expect(replay.isReplayed)
            #expect(replay.transaction == first)
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a key's reply stays through an extension, a refund and a finish`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            store.catalogue.sell(.subscription("basic.monthly"), level: 1)
            let alice = try await store.customerApp()
            let bought = try await alice.add("basic.monthly", key: "k").transaction
            let identifier = try #require(bought.transactionIdentifier)
            #expect(try await store.extend(identifier, days: 10, "outage").outcome == .extended)
            let extended = try #require(try await alice.snapshot(launches: true).transactions.first)
            #expect(extended.revision == bought.revision + 1 && extended.expiresDate != bought.expiresDate)
            try await store.refund(bought.id)
            try await alice.finish(bought.id)
            for _ in 0..<2 {
                let replay = try await alice.add("basic.monthly", key: "k")
                #expect(replay.isReplayed && replay.status == 201 && replay.transaction == bought)
            }
        }
    }

    @Test(arguments: Engine.allCases)
    func `P3: a key's reply has no delivery, though its copy is made after a launch`(_ engine: Engine) async throws {
        try await TestStore.with(engine) { store in
            let alice = try await store.customerApp()
            let bought = try await alice.add("coins", key: "k").transaction
            let delivered = try await alice.snapshot(launches: true).transactions
            #expect(delivered.map(\.deliveries) == [1])
            try await store.refund(bought.id)
            let replay = try await alice.add("coins", key: "k")
            #expect(replay.isReplayed && replay.transaction == bought)
        }
    }
}

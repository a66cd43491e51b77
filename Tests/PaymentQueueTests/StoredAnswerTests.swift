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
            let alice = try await store.shopper()
            let begun = try await alice.begin("coins", key: "k").transaction
            let purchases = store.current.service.purchases
            let known = try #require(try await purchases.find(begun.id))
            let first = try #require(try await purchases.commit(known, answer)).stored.transaction
            #expect(first.transactionState.isTerminal)
            // A launch counts the delivery, which is no part of the answer.
            let delivered = try await alice.snapshot(launches: true).transactions
            #expect(delivered.map(\.deliveries) == [1])
            let second = try #require(try await purchases.commit(known, answer)).stored.transaction
            #expect(second == first)
            let replay = try await alice.add("coins", key: "k")
            #expect(replay.isReplayed)
            #expect(replay.transaction == first)
        }
    }
}

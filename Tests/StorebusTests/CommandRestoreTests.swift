import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// `storebus restore`: begun, waited for, shown (M38, M41, M42).
@Suite struct CommandRestoreTests {
    @Test func `it waits for the end and shows what came back`() async throws {
        let store = FakeStore()
        let before = JSONText.value(TransactionsPage(transactions: [FakeStore.purchased]))
        let after = JSONText.value(TransactionsPage(transactions: [FakeStore.purchased, FakeStore.restored]))
        store.answer("GET /v1/transactions") { [store] _ in
            (200, store.requests(.post, "/v1/restore").isEmpty ? before : after)
        }
        store.answer("GET /v1/restores/r_1") { [store] _ in
            store.requests(.get, "/v1/restores/r_1").count < 3
                ? (200, ["state": "running", "restored": 0]) : (200, ["state": "finished", "restored": 1])
        }
        let (status, said) = await store.run(
            "restore", "--as", "alice", "--device", "alice-2", "--application-username", "al", "--timeout", "10m")
        #expect(status == .success)
        #expect(said.result.contains("restored  1 transaction\n"))
        #expect(said.result.contains("left out  1 unfinished transaction\n"))
        #expect(said.result.contains("2000000000000002  1000000000000009  pro.monthly  2026-11-21 10:00:04Z"))
        #expect(said.narration.contains("next: storebus finish 2000000000000002 --as alice --device alice-2"))
        let asked = try #require(store.requests(.post, "/v1/restore").first)
        #expect(asked.headers["Idempotency-Key"]?.isEmpty == false)
        #expect(try StrictJSON.parse(asked.body ?? []) == ["applicationUsername": "al"])
        #expect(store.requests(.get, "/v1/restores/r_1").count == 3)
    }

    @Test func `what was restored before and is not finished is not shown as new`() async {
        let store = FakeStore()
        var older = FakeStore.restored
        older.id = "t_9"
        older.transactionIdentifier = "2000000000000009"
        let before = JSONText.value(TransactionsPage(transactions: [older]))
        let after = JSONText.value(TransactionsPage(transactions: [older, FakeStore.restored]))
        store.answer("GET /v1/transactions") { [store] _ in
            (200, store.requests(.post, "/v1/restore").isEmpty ? before : after)
        }
        #expect(await store.run("restore", "--as", "alice", "-o", "names").said.result == "2000000000000002\n")
    }

    @Test func `purchases that are not finished are left out, and said to be`() async {
        let store = FakeStore()
        store.answer("GET /v1/transactions", JSONText.value(TransactionsPage(transactions: [FakeStore.purchased])))
        store.answer("GET /v1/restores/r_1", ["state": "finished", "restored": 0])
        let said = await store.run("restore", "--as", "alice").said
        #expect(said.result.contains("restored  0 transactions\nleft out  1 unfinished transaction\n"))
        #expect(said.narration.contains("next: storebus finish \(Format.name(FakeStore.purchased)) --as alice"))
    }

    @Test func `a restore that fails says why, and ends as a purchase that fails`() async throws {
        let store = FakeStore()
        store.answer("GET /v1/transactions", JSONText.value(TransactionsPage(transactions: [])))
        store.answer(
            "GET /v1/restores/r_1",
            [
                "state": "failed", "restored": 0,
                "error": JSONText.value(TransactionError(.paymentCancelled, "Signing in was cancelled.")),
            ])
        let (status, said) = await store.run("restore", "--as", "alice")
        #expect(status == .purchaseFailed)
        #expect(said.result.contains("paymentCancelled (2): Signing in was cancelled."))
    }

    @Test func `a restore that takes too long can be asked about with the same key`() async {
        let store = FakeStore()
        store.answer("GET /v1/restores/r_1", ["state": "running", "restored": 40])
        let (status, said) = await store.run(
            "restore", "--as", "alice", "--timeout", "1ms", "--idempotency-key", "k1")
        #expect(status == .temporary)
        #expect(said.narration.contains("next: storebus restore --as alice --idempotency-key k1"))
        #expect(store.requests(.post, "/v1/restore").first?.headers["Idempotency-Key"] == "k1")
    }

    @Test func `a store that is away for a moment is asked again with the same key`() async {
        let store = FakeStore()
        store.answer("POST /v1/restore") { [store] _ in
            store.requests(.post, "/v1/restore").count < 3
                ? (503, StubTransport.problem(503, .serviceUnavailable)) : (202, ["restoreIdentifier": "r_1"])
        }
        #expect(await store.run("restore", "--as", "alice", "--timeout", "10m").status == .success)
        let keys = store.requests(.post, "/v1/restore").map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && Set(keys).count == 1)
    }
}

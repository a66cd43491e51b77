import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@Suite struct GatewayTransactionTests {
    @Test func `the unfinished queue is this device's, in pages, and looking is no delivery (M51)`() async throws {
        try await GatewayHarness.run { store in
            for id in ["a", "b", "c"] { store.payments.commit(Sample.purchased(id)) }
            store.payments.commit(Sample.failed("x", device: "bob-1"))
            let token = try await store.session()
            let first = try await store.send(.GET, "/v1/transactions?limit=2", token: token)
            #expect(first.json["transactions"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["a", "b"])
            let second = try await store.send(.GET, "/v1/transactions?limit=2&after=b", token: token)
            #expect(second.json["transactions"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["c"])
            #expect(second.json["after"] == nil)
            #expect(store.payments.contents.withLock { $0.snapshotRequests.allSatisfy { !$0.countsDelivery } })
        }
    }

    @Test func `one transaction, and none of another device's failures`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a", device: "bob-1"))
            store.payments.commit(Sample.failed("x", device: "bob-1"))
            let token = try await store.session()
            #expect(try await store.send(.GET, "/v1/transactions/a", token: token).json["id"] == "a")
            #expect(try await store.send(.GET, "/v1/transactions/x", token: token).status == 404)
            #expect(try await store.send(.GET, "/v1/transactions/none", token: token).status == 404)
        }
    }

    @Test func `finishing is idempotent, and not for what is still on its way (M53, M54)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            store.payments.commit(Sample.purchasing("p"))
            let token = try await store.session()
            for body in [nil, "{}"] {
                let answer = try await store.send(.POST, "/v1/transactions/a/finish", token: token, body: body)
                #expect(answer.status == 200)
                #expect(answer.json["id"] == "a")
            }
            let early = try await store.send(.POST, "/v1/transactions/p/finish", token: token)
            #expect(early.status == 409)
            #expect(early.code == "transactionNotFinishable")
            let extra = try await store.send(.POST, "/v1/transactions/a/finish", token: token, body: #"{"x":1}"#)
            #expect(extra.status == 400)
        }
    }

    @Test func `history is what was purchased, finished or not (M23)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("a"))
            store.payments.commit(Sample.purchased("a"), kind: .removed)
            store.payments.commit(Sample.purchased("b"))
            store.payments.commit(Sample.failed("x"))
            let answer = try await store.send(.GET, "/v1/history", token: try await store.session())
            #expect(answer.json["transactions"]?.arrayValue?.compactMap { $0["id"]?.stringValue } == ["a", "b"])
        }
    }

    @Test(arguments: [
        "limit=0", "limit=101", "limit=x", "limit=%2B5", "limit=1&limit=2", "lmit=5", "after=", "limit=%ZZ",
    ])
    func `a wrong page is refused`(query: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/v1/transactions?\(query)", token: try await store.session())
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test func `without PaymentQueue there are no transactions`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.service.goAway()
            for path in ["/v1/transactions", "/v1/transactions/a", "/v1/history"] {
                #expect(try await store.send(.GET, path, token: token).status == 503)
            }
        }
    }
}

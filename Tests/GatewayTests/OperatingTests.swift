import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// An operator's or a parent's word on one transaction.
@Suite struct OperatingTests {
    private func deferred(_ id: String) -> PaymentTransaction {
        PaymentTransaction(
            id: id, transactionState: .deferred, payment: Sample.payment(id), revision: 2,
            originDeviceId: Sample.deviceId)
    }

    private func send(
        _ store: GatewayHarness, _ verb: String, _ id: String = "t1", body: String? = nil
    ) async throws -> Answer {
        try await store.send(.POST, "/admin/v1/transactions/\(id)/\(verb)", token: Sample.adminKey, body: body)
    }

    @Test func `each word is answered with the transaction (M29, D2)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(deferred("t1"))
            for (verb, body) in [
                ("approve", nil), ("approve", "{}"), ("decline", nil), ("decline", "{}"),
                ("decline", #"{"error":"paymentNotAllowed"}"#), ("decline", #"{"error":4}"#), ("resolve", nil),
            ] {
                let answer = try await send(store, verb, body: body)
                #expect(answer.status == 200, "\(verb)")
                #expect(answer.json["id"] == "t1")
            }
            #expect(
                store.payments.contents.withLock { $0.operations } == [
                    "approve t1", "approve t1", "decline t1", "decline t1", "decline t1 paymentNotAllowed",
                    "decline t1 paymentNotAllowed", "resolve t1",
                ])
        }
    }

    @Test func `a transaction that was never deferred is 409, one that is not there 404`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t1"))
            for verb in ["approve", "decline", "resolve"] {
                let answer = try await send(store, verb)
                #expect(answer.status == 409)
                #expect(answer.code == "transactionStateInvalid")
                #expect(try await send(store, verb, "none").status == 404)
            }
        }
    }

    @Test func `only a decline says why, and only with an SKError`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(deferred("t1"))
            for (verb, body) in [
                ("approve", #"{"error":"unknown"}"#), ("resolve", #"{"error":"unknown"}"#),
                ("decline", #"{"error":"nonsense"}"#), ("decline", #"{"reason":"unknown"}"#),
            ] {
                let answer = try await send(store, verb, body: body)
                #expect(answer.status == 400, "\(verb) \(body)")
            }
            #expect(store.payments.contents.withLock { $0.operations.isEmpty })
        }
    }

    @Test func `an observer gets what is redelivered once more, as its next revision (P7)`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t1"))
            let reader = try await store.stream(try await store.session())
            #expect(try await reader.next().transactions == ["t1:2"])
            #expect(try await reader.next().name == "synchronized")
            for (body, transaction) in [(nil, "t1:3"), ("{}", "t1:4")] as [(String?, String)] {
                let answer = try await send(store, "redeliver", body: body)
                #expect(answer.status == 200)
                let event = try await reader.next()
                #expect(event.name == "updatedTransactions")
                #expect(event.transactions == [transaction])
                #expect(event.json["transactions"] == .array([answer.json]))
            }
        }
    }

    @Test func `what cannot be redelivered says so`() async throws {
        try await GatewayHarness.run { store in
            var open = deferred("t1")
            open.transactionState = .purchasing
            store.payments.commit(open)
            let refused = try await send(store, "redeliver")
            #expect(refused.status == 409)
            #expect(refused.code == "transactionStateInvalid")
            #expect(try await send(store, "redeliver", "none").status == 404)
            #expect(try await send(store, "redeliver", body: #"{"to":"alice"}"#).status == 400)
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            #expect(try await send(store, "redeliver").code == "outcomeUnknown")
        }
    }

    @Test func `a transaction is removed once`() async throws {
        try await GatewayHarness.run { store in
            store.payments.commit(Sample.purchased("t1"))
            func delete() async throws -> Answer {
                try await store.send(.DELETE, "/admin/v1/transactions/t1", token: Sample.adminKey)
            }
            let first = try await delete()
            #expect(first.status == 204)
            #expect(first.body.isEmpty)
            #expect(try await delete().status == 404)
        }
    }

    @Test func `an unanswered decision may have counted`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            for verb in ["approve", "decline", "resolve"] {
                let answer = try await send(store, verb)
                #expect(answer.status == 504)
                #expect(answer.code == "outcomeUnknown")
            }
        }
    }
}

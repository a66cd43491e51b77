import BusClient
import EventLoop
import NIOHTTP1
import StoreModels
import Testing

@Suite struct PaymentTests {
    private static let buy = #"{"productIdentifier":"com.example.hiddenBeaches","quantity":1}"#

    private func pay(
        _ store: GatewayHarness, _ token: String, key: String? = "k1", body: String = buy
    ) async throws -> Answer {
        try await store.send(
            .POST, "/v1/payments", token: token, headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
    }

    @Test func `a purchase is 201 with the transaction, and its key is the payment's identifier`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(store, try await store.session())
            #expect(answer.status == 201)
            #expect(answer.json["transactionState"] == "purchased")
            #expect(answer.json["payment"]?["requestIdentifier"] == "k1")
            #expect(answer.json["error"] == .null)
            #expect(answer.headers.first(name: "Idempotent-Replayed") == nil)
        }
    }

    @Test func `all members of a payment reach PaymentQueue`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = { request in
                    #expect(request.customerIdentifier == FakePaymentQueue.customer)
                    #expect(request.deviceId == Sample.deviceId)
                    return AddPaymentReply(
                        status: 202,
                        transaction: PaymentTransaction(
                            id: "t", transactionState: .purchasing, payment: request.payment, revision: 1,
                            originDeviceId: request.deviceId), isReplayed: false)
                }
            }
            let answer = try await pay(
                store, try await store.session(),
                body:
                    #"{"productIdentifier":"p","quantity":10,"applicationUsername":"u","appAccountToken":"a","#
                    + #""simulatesAskToBuyInSandbox":true}"#
            )
            #expect(answer.status == 202)
            let payment = answer.json["payment"]
            #expect(payment?["quantity"]?.intValue == 10)
            #expect(payment?["applicationUsername"] == "u")
            #expect(payment?["appAccountToken"] == "a")
            #expect(payment?["simulatesAskToBuyInSandbox"] == true)
        }
    }

    @Test func `a replayed answer says that it is one`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = {
                    AddPaymentReply(
                        status: 201, transaction: Sample.purchased("t", payment: $0.payment), isReplayed: true)
                }
            }
            let answer = try await pay(store, try await store.session())
            #expect(answer.status == 201)
            #expect(answer.headers.first(name: "Idempotent-Replayed") == "true")
        }
    }

    @Test(arguments: [
        (nil, 400), ("", 400), (String(repeating: "k", count: 255), 201), (String(repeating: "k", count: 256), 400),
        ("clé", 400),
    ])
    func `a key is 1 to 255 printable characters`(key: String?, status: Int) async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(store, try await store.session(), key: key)
            #expect(answer.status == status)
            if status == 400 { #expect(answer.code == "idempotencyKeyInvalid") }
        }
    }

    @Test func `without a quantity it is one, as SKPayment's`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(store, try await store.session(), body: #"{"productIdentifier":"p"}"#)
            #expect(answer.status == 201)
            #expect(answer.json["payment"]?["quantity"]?.intValue == 1)
        }
    }

    @Test(arguments: [
        ("0", 422), ("1", 201), ("10", 201), ("11", 422), ("-1", 422), ("99999999999999999999", 422), ("1e400", 422),
        ("1.0", 201), ("1e0", 201), ("1.5", 400), ("1.00000000000000000001", 400), ("\"1\"", 400), ("null", 400),
    ])
    func `a quantity is 1 to 10`(quantity: String, status: Int) async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(
                store, try await store.session(), body: #"{"productIdentifier":"p","quantity":\#(quantity)}"#)
            #expect(answer.status == status)
            if status != 201 { #expect(answer.code == "requestInvalid") }
        }
    }

    @Test func `a quantity that is left out is 1, as in SKPayment`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(store, try await store.session(), body: #"{"productIdentifier":"p"}"#)
            #expect(answer.status == 201)
            #expect(answer.json["payment"]?["quantity"]?.intValue == 1)
        }
    }

    /// S3: what is the store's to say never comes from a client.
    @Test(arguments: ["price", "state", "customerIdentifier", "transactionState", "offer", "isTrialPeriod"])
    func `a client cannot set what is the store's`(member: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(
                store, try await store.session(), body: #"{"productIdentifier":"p","quantity":1,"\#(member)":"x"}"#)
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == "$.\(member)")
        }
    }

    @Test func `a repeated member is refused (S14)`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await pay(
                store, try await store.session(),
                body: #"{"productIdentifier":"p","productIdentifier":"q","quantity":1}"#)
            #expect(answer.status == 400)
        }
    }

    @Test(arguments: [StoreErrorCode.keyReused, .inFlight])
    func `PaymentQueue's answers about the key are passed on`(code: StoreErrorCode) async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = { _ in throw StoreError(code, "the key", retryAfterMs: 1500) }
            }
            let answer = try await pay(store, try await store.session())
            #expect(answer.status == code.status)
            #expect(answer.code == code.name)
            #expect(answer.json["retryAfterMs"]?.intValue == 1500)
            #expect(answer.headers.first(name: "Retry-After") == "2")
        }
    }

    @Test func `no payment queue is 503, certainly not charged`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.payments.service.goAway()
            let answer = try await pay(store, token)
            #expect(answer.status == 503)
            #expect(answer.code == "serviceUnavailable")
        }
    }

    @Test func `no answer in time is an unknown outcome`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock {
                $0.adding = { _ in
                    try await Task.sleep(for: .seconds(60))
                    throw StoreError(.internal, "never")
                }
            }
            let answer = try await store.send(
                .POST, "/v1/payments", token: try await store.session(),
                headers: [("Idempotency-Key", "k"), ("Sb-Timeout", "100")], body: Self.buy)
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            #expect(answer.json["retryable"] == true)
        }
    }

    @Test func `a bus that breaks under a payment leaves its outcome unknown`() async throws {
        try await GatewayHarness.run { store in
            let client = store.gatewayClient
            store.payments.contents.withLock {
                $0.adding = { _ in
                    client.disconnect()
                    throw StoreError(.internal, "nobody hears this")
                }
            }
            let answer = try await pay(store, try await store.session())
            #expect(answer.status == 504)
            #expect(answer.code == "outcomeUnknown")
            client.reconnect()
        }
    }

    @Test func `without a bus nothing is sent, and the answer says so`() async throws {
        try await GatewayHarness.run { store in
            let token = try await store.session()
            store.gatewayClient.disconnect()
            let answer = try await pay(store, token)
            #expect(answer.status == 503)
            store.gatewayClient.reconnect()
        }
    }
}

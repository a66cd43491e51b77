import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus buy` against a scripted gateway.
@Suite struct CommandPurchaseTests {
    private let installation = Installation(bundleId: "com.example.app", account: "alice")
    private let session = JSONText.value(Fixtures.session)
    private let purchased = JSONText.value(Fixtures.transaction("t_1", .purchased, identifier: "2000000000000001"))
    private let purchasing = JSONText.value(Fixtures.transaction("t_1", .purchasing))

    private func products(_ identifiers: String..., invalid: [String] = []) -> JSONValue {
        JSONText.value(
            ProductsResponse(
                products: identifiers.map { Fixtures.product($0, "1.99") }, invalidProductIdentifiers: invalid,
                degraded: []))
    }

    private func context(_ transport: StubTransport) async throws -> CommandContext {
        try await Fixtures.context(transport, Recorder())
    }

    private func purchase(_ product: String = "pro.monthly", timeout: Duration = .seconds(3600)) -> Purchase {
        Purchase(
            productIdentifier: product, quantity: 1, applicationUsername: nil, key: "key-1", timeout: timeout)
    }

    @Test func `a purchase without an outcome is asked about with the same key until it has one`() async throws {
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products("pro.monthly")),
            StubTransport.on(.post, "/v1/payments", 202, purchasing),
            StubTransport.on(.post, "/v1/payments", 504, StubTransport.problem(504, .outcomeUnknown)),
            StubTransport.on(.post, "/v1/payments", 503, StubTransport.problem(503, .serviceUnavailable)),
            StubTransport.on(.post, "/v1/payments", 201, purchased),
        ])
        let outcome = try await purchase().run(installation, try await context(transport))
        #expect(outcome.status == .success)
        #expect(transport.unused == 0)
        let payments = transport.requests.filter { $0.path == "/v1/payments" }
        #expect(Set(payments.map { $0.headers["Idempotency-Key"] }) == ["key-1"])
        #expect(Set(payments.map(\.body)).count == 1)
    }

    @Test func `a purchase that waits for a parent is not asked about again`() async throws {
        let deferred = JSONText.value(Fixtures.transaction("t_1", .deferred))
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products("pro.monthly")),
            StubTransport.on(.post, "/v1/payments", 202, deferred),
        ])
        let outcome = try await purchase().run(installation, try await context(transport))
        #expect(outcome.status == .purchaseDeferred)
        #expect(outcome.result.next == "storebus approve t_1")
    }

    @Test func `a lost connection while paying is asked about too`() async throws {
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products("pro.monthly")),
            StubTransport.lost,
            StubTransport.on(.post, "/v1/payments", 201, purchased),
        ])
        #expect(try await purchase().run(installation, try await context(transport)).status == .success)
    }

    @Test func `giving up says that the purchase may have happened and how to ask again`() async throws {
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products("pro.monthly")),
            StubTransport.on(.post, "/v1/payments", 504, StubTransport.problem(504, .outcomeUnknown)),
        ])
        let error = await #expect(throws: CLIError.self) {
            try await purchase(timeout: .zero).run(installation, try await context(transport))
        }
        #expect(error?.status == .temporary)
        #expect(error?.hints.first?.text.contains("--idempotency-key key-1") == true)
        #expect(error?.traceId == "4bf92f35")
    }

    @Test func `after a 202 the purchase is under way, also when the next question fails`() async throws {
        let store = FakeStore()
        let asked = Locked(0)
        let accepted = purchasing
        store.answer("POST /v1/payments") { _ in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            return count == 1 ? (202, accepted) : (503, StubTransport.problem(503, .serviceUnavailable))
        }
        store.answer("GET /admin/v1/services", ["missing": ["payment-processor"], "services": []])
        let (status, said) = await store.run("buy", "pro.monthly", "--as", "alice", "--timeout", "300ms")
        #expect(status == .temporary)
        #expect(asked.withLock { $0 } > 1)
        #expect(said.result.contains("payment-processor is away; the purchase is under way; the same key asks again"))
        #expect(!said.narration.contains("error:"))
    }

    @Test func `an unknown product is not paid for, and the near one is suggested`() async throws {
        let list = JSONText.value(ProductsPageResponse(products: [Fixtures.product("pro.monthly", "1.99")]))
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products(invalid: ["pro.month"])),
            StubTransport.on(.get, "/admin/v1/apps/com.example.app/products", 200, list),
        ])
        let error = await #expect(throws: CLIError.self) {
            try await purchase("pro.month").run(installation, try await context(transport))
        }
        #expect(error?.code.name == "productNotFound")
        #expect(error?.status == .purchaseFailed)
        #expect(error?.hints.first == "did you mean 'pro.monthly'?")
        #expect(transport.unused == 0)
    }

    @Test func `without Catalog the purchase is tried all the same`() async throws {
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 503, StubTransport.problem(503, .serviceUnavailable)),
            StubTransport.on(.post, "/v1/payments", 201, purchased),
        ])
        let outcome = try await purchase().run(installation, try await context(transport))
        #expect(outcome.product == nil)
        #expect(outcome.status == .success)
    }

    @Test func `what the store refuses for good is not asked twice`() async throws {
        let transport = StubTransport([
            StubTransport.on(.post, "/v1/sessions", 201, session),
            StubTransport.on(.post, "/v1/products/query", 200, products("pro.monthly")),
            StubTransport.on(.post, "/v1/payments", 422, StubTransport.problem(422, .keyReused)),
        ])
        let error = await #expect(throws: CLIError.self) {
            try await purchase().run(installation, try await context(transport))
        }
        #expect(error?.code.name == "keyReused")
        #expect(error?.status == .refused)
    }
}

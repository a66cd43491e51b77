import BusClient
import BusProtocol
import EventLoop
import StoreModels
import StorebusTesting
import Testing

@testable import BusService

/// Goal: retries happen in one layer, for what may be repeated, within the budget. Method: a service that answers
/// "unavailable" and counts.
@Suite(.timeLimit(.minutes(1)))
struct RetryTests {
    /// Answers every request on a subject with an error and keeps its headers.
    private final class Refusing: Sendable {
        let seen = Locked<[BusHeaders]>([])
        let bus = InMemoryBus()

        init(_ subject: String, _ error: StoreError) async throws {
            let client = bus.client(name: "refusing")
            _ = try await client.subscribe(subject) { [weak self] request in
                self?.seen.withLock { $0.append(request.headers) }
                let (headers, body) = ErrorReply.encode(error)
                try? client.respond(to: request, body: body, headers: headers)
            }
        }

        var attempts: [BusHeaders] { seen.withLock { $0 } }
        func caller(retries: Bool) -> ServiceCaller {
            ServiceCaller(bus: bus.client(name: "test"), caller: "test", retries: retries)
        }
    }

    private let unavailable = StoreError(.serviceUnavailable, "not now")

    @Test func `an idempotent call is tried three times with one identifier`() async throws {
        let service = try await Refusing(PaymentEndpoints.heads.subject, unavailable)
        let error = await #expect(throws: StoreError.self) {
            try await service.caller(retries: true).call(PaymentEndpoints.heads, ServiceHarness.request)
        }
        #expect(error == unavailable)
        #expect(service.attempts.map { $0["Sb-Attempt"] } == ["1", "2", "3"])
        #expect(Set(service.attempts.map { $0["Sb-Id"] }).count == 1)
        let budgets = service.attempts.compactMap { $0["Sb-Timeout"].flatMap(Int.init) }
        #expect(budgets == budgets.sorted(by: >))
    }

    @Test func `callers further in do not retry`() async throws {
        let service = try await Refusing(PaymentEndpoints.heads.subject, unavailable)
        _ = try? await service.caller(retries: false).call(PaymentEndpoints.heads, ServiceHarness.request)
        #expect(service.attempts.count == 1)
    }

    @Test func `what is not idempotent is not repeated`() async throws {
        let service = try await Refusing(CatalogEndpoints.beginImport.subject, unavailable)
        let request = BeginImportRequest(bundleId: "com.example.app", byteCount: 1)
        _ = try? await service.caller(retries: true).call(CatalogEndpoints.beginImport, request)
        #expect(service.attempts.count == 1)
    }

    @Test func `an answer about the request itself is not repeated`() async throws {
        let service = try await Refusing(PaymentEndpoints.heads.subject, StoreError(.keyReused, "no"))
        _ = try? await service.caller(retries: true).call(PaymentEndpoints.heads, ServiceHarness.request)
        #expect(service.attempts.count == 1)
    }

    @Test func `retries stay within a tenth of the calls once the savings are spent`() async throws {
        let service = try await Refusing(PaymentEndpoints.heads.subject, unavailable)
        let caller = service.caller(retries: true)
        for _ in 0..<100 { _ = try? await caller.call(PaymentEndpoints.heads, ServiceHarness.request) }
        let retries = service.attempts.count - 100
        #expect(retries >= 10)
        #expect(retries <= 20)
    }

    @Test func `a service that comes back within the budget is found`() async throws {
        let bus = InMemoryBus()
        let service = bus.client(name: "late")
        let client = bus.client(name: "test")
        let caller = ServiceCaller(bus: client, caller: "test", retries: true)
        client.disconnect()
        let call = Task { try await caller.call(PaymentEndpoints.heads, ServiceHarness.request) }
        _ = try await service.subscribe(PaymentEndpoints.heads.subject) {
            try? service.respond(to: $0, body: Array(#"{"heads":[4],"storefronts":[]}"#.utf8))
        }
        client.reconnect()
        // The first attempt may have come before or after the reconnect; both end well.
        #expect(try await call.value.heads == [4])
    }

    @Test func `five silences open the breaker: the sixth call fails at once`() async throws {
        let bus = InMemoryBus()
        let count = Locked(0)
        _ = try await bus.client(name: "silent").subscribe(PaymentEndpoints.heads.subject) { _ in
            count.withLock { $0 += 1 }
        }
        let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        for _ in 0..<5 {
            let context = CallContext(deadline: .now + .milliseconds(20))
            _ = try? await caller.call(PaymentEndpoints.heads, ServiceHarness.request, context: context)
        }
        let error = await #expect(throws: StoreError.self) {
            try await caller.call(PaymentEndpoints.heads, ServiceHarness.request)
        }
        #expect(error?.code == .serviceUnavailable)
        #expect(count.withLock { $0 } <= 5)
    }
}

import BusClient
import BusProtocol
import BusService
import EventLoop
import StoreModels
import StorebusTesting
import Testing

/// Goal: what a handler returns or throws is what the caller gets. Method: service and caller on an in-memory bus.
@Suite(.timeLimit(.minutes(1)))
struct ServiceCallTests {
    private let request = ServiceHarness.request

    @Test func `a result travels as it is`() async throws {
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { request, _ in HeadsReply(heads: [Int64(request.customers.count)]) }
        } _: { harness in
            let reply = try await harness.caller().call(PaymentEndpoints.heads, request)
            #expect(reply.heads == [1])
        }
    }

    @Test func `a StoreError travels as it is, in the envelope and in NATS's headers`() async throws {
        let thrown = StoreError(
            .transactionNotFinishable, "transaction 7 is purchasing\nnow", retryAfterMs: 5,
            details: ["state": "purchasing"])
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in throw thrown }
        } _: { harness in
            let error = await #expect(throws: StoreError.self) {
                try await harness.caller().call(PaymentEndpoints.heads, request)
            }
            #expect(error == thrown)
            let reply = try await harness.callerBus.request(
                PaymentEndpoints.heads.subject, body: try StoreJSON.encode(request))
            #expect(reply.headers["Nats-Service-Error-Code"] == "409")
            #expect(reply.headers["Nats-Service-Error"] == "transactionNotFinishable: transaction 7 is purchasing now")
            #expect(
                String(decoding: reply.body, as: UTF8.self)
                    == #"{"error":{"code":"transactionNotFinishable","details":{"state":"purchasing"},"message":"#
                    + #""transaction 7 is purchasing\nnow","retryAfterMs":5,"retryable":false,"status":409}}"#)
        }
    }

    @Test func `an error that its endpoint does not declare is reported, and travels`() async throws {
        let reported = Locked<[String]>([])
        try await ServiceHarness.with(undeclared: reported) {
            $0.handle(PaymentEndpoints.heads) { _, _ in throw StoreError(.notFound, "nobody knows them") }
            $0.handle(PaymentEndpoints.leaseTesters) { _, _ in throw StoreError(.serviceUnavailable, "busy") }
            $0.handle(PaymentEndpoints.getAccount) { _, _ in throw StoreError(.notFound, "nobody knows it") }
        } _: { harness in
            let caller = harness.caller()
            let undeclared = await #expect(throws: StoreError.self) {
                try await caller.call(PaymentEndpoints.heads, request)
            }
            #expect(undeclared?.code == .notFound)
            let general = await #expect(throws: StoreError.self) {
                try await caller.call(PaymentEndpoints.leaseTesters, TestersLeaseRequest())
            }
            #expect(general?.code == .serviceUnavailable)
            let declared = await #expect(throws: StoreError.self) {
                try await caller.call(
                    PaymentEndpoints.getAccount, GetAccountRequest(bundleId: "com.example.app", account: "alice"))
            }
            #expect(declared?.code == .notFound)
        }
        #expect(reported.withLock { $0 } == ["\(PaymentEndpoints.heads.subject) notFound"])
    }

    @Test func `a reply that is read without the decoder travels as it is`() async throws {
        let sent = UnfinishedLists(pages: [ArraySlice(#"{"transactions":[]}"#.utf8), nil])
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.unfinishedLists) { _, _ in sent }
        } _: { harness in
            let lists = UnfinishedListsRequest(lists: [])
            let got = try await harness.caller().call(PaymentEndpoints.unfinishedLists, lists)
            #expect(got == sent)
        }
    }

    @Test func `any other error becomes internal and says nothing but where to look`() async throws {
        struct Secret: Error { let token = "do-not-tell" }
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in throw Secret() }
        } _: { harness in
            let trace = TraceContext()
            let error = await #expect(throws: StoreError.self) {
                try await harness.caller().call(
                    PaymentEndpoints.heads, request, context: CallContext(traceparent: trace.traceparent))
            }
            #expect(error?.code == .internal)
            #expect(error?.message.contains("do-not-tell") == false)
            #expect(error?.message.contains(trace.traceID) == true)
        }
    }

    @Test(arguments: [
        ("{", "requestInvalid"), (#"{"customers":3}"#, "requestInvalid"),
        (#"{"customers":[],"customers":[]}"#, "requestInvalid"), ("", "requestInvalid"),
        (#"{"customers":[],"new":1}"#, ""),
    ])
    func `requests are read strictly: duplicates are refused, unknown members are not`(
        body: String, code: String
    ) async throws {
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: []) }
        } _: { harness in
            let reply = try await harness.callerBus.request(PaymentEndpoints.heads.subject, body: Array(body.utf8))
            let envelope = try? StoreJSON.decode(ErrorEnvelope.self, from: reply.body)
            #expect(envelope?.error.code.name ?? "" == code)
        }
    }

    @Test func `a request without members may come without a body`() async throws {
        let bus = InMemoryBus()
        let service = BusService(name: .catalog, version: "1", bus: bus.client(name: "catalog"), logger: silent)
        service.handle(CatalogEndpoints.listStorefronts) { _, _ in throw StoreError(.notFound, "it was called") }
        let running = Task { try await service.run() }
        await service.ready()
        let reply = try await bus.client(name: "test").request(CatalogEndpoints.listStorefronts.subject)
        #expect(try StoreJSON.decode(ErrorEnvelope.self, from: reply.body).error.code == .notFound)
        running.cancel()
        try await running.value
    }

    @Test func `a reply over 512 KiB is an internal error`() async throws {
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: Array(repeating: .max, count: 30_000)) }
        } _: { harness in
            let error = await #expect(throws: StoreError.self) {
                try await harness.caller().call(PaymentEndpoints.heads, request)
            }
            #expect(error?.code == .internal)
        }
    }

    @Test func `a service that is not there is unavailable at once`() async throws {
        let caller = ServiceCaller(bus: InMemoryBus().client(name: "test"), caller: "test")
        let error = await #expect(throws: StoreError.self) { try await caller.call(PaymentEndpoints.heads, request) }
        #expect(error?.code == .serviceUnavailable)
        #expect(error?.retryable == true)
    }

    @Test func `no bus is serviceUnavailable, no answer is deadlineExceeded`() async throws {
        let bus = InMemoryBus()
        let client = bus.client(name: "test")
        let caller = ServiceCaller(bus: client, caller: "test")
        _ = try await bus.client(name: "silent").subscribe(PaymentEndpoints.heads.subject) { _ in }
        let late = await #expect(throws: StoreError.self) {
            try await caller.call(
                PaymentEndpoints.heads, request, context: CallContext(deadline: .now + .milliseconds(30)))
        }
        #expect(late?.code == .deadlineExceeded)
        client.disconnect()
        let away = await #expect(throws: StoreError.self) { try await caller.call(PaymentEndpoints.heads, request) }
        #expect(away?.code == .serviceUnavailable)
    }

    @Test func `a reply that cannot be read is internal`() async throws {
        let bus = InMemoryBus()
        let service = bus.client(name: "odd")
        _ = try await service.subscribe(PaymentEndpoints.heads.subject) { try? service.respond(to: $0, body: [1]) }
        let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        let error = await #expect(throws: StoreError.self) { try await caller.call(PaymentEndpoints.heads, request) }
        #expect(error?.code == .internal)
    }

    @Test func `the 1025th request in flight is refused at once, and the others are answered`() async throws {
        let gate = CallGate()
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in
                await gate.pass()
                return HeadsReply(heads: [])
            }
        } _: { harness in
            // Two callers, because each has a bulkhead of its own.
            let body = try StoreJSON.encode(request)
            let first = Task {
                await withTaskGroup(of: Bool.self) { group in
                    for _ in 0..<1024 {
                        group.addTask {
                            (try? await harness.callerBus.request(
                                PaymentEndpoints.heads.subject, body: body, timeout: .seconds(30)))?
                                .headers["Nats-Service-Error"] == nil
                        }
                    }
                    return await group.reduce(true) { $0 && $1 }
                }
            }
            try await eventually("all places are taken") { await gate.waiting == 1024 }
            let error = await #expect(throws: StoreError.self) {
                try await harness.caller().call(PaymentEndpoints.heads, request)
            }
            #expect(error?.code == .serviceUnavailable)
            await gate.open()
            #expect(await first.value)
        }
    }
}

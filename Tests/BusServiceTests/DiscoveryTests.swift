import BusClient
import BusService
import EventLoop
import StoreModels
import Testing

/// Goal: `$SRV` answers are what NATS ADR-32 says, so that its tools see our services. Method: the JSON itself.
@Suite(.timeLimit(.minutes(1)))
struct DiscoveryTests {
    private func ask(_ harness: ServiceHarness, _ subject: String) async throws -> String {
        String(decoding: try await harness.callerBus.request(subject).body, as: UTF8.self)
    }

    @Test(arguments: ["$SRV.PING", "$SRV.PING.payment-queue", "$SRV.PING.payment-queue.instance-1"])
    func `PING tells who is there`(subject: String) async throws {
        try await ServiceHarness.with { harness in
            let answer = try await ask(harness, subject)
            #expect(
                answer
                    == #"{"id":"instance-1","metadata":{},"name":"payment-queue","#
                    + #""type":"io.nats.micro.v1.ping_response","version":"1.2.3"}"#)
        }
    }

    @Test func `no instance answers for another name or instance`() async throws {
        try await ServiceHarness.with { harness in
            for subject in ["$SRV.PING.catalog", "$SRV.PING.payment-queue.other"] {
                let error = await #expect(throws: BusError.self) { try await ask(harness, subject) }
                #expect(error?.code == .noResponders)
            }
        }
    }

    @Test func `INFO tells the endpoints`() async throws {
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: []) }
        } _: { harness in
            let answer = try await ask(harness, "$SRV.INFO.payment-queue")
            #expect(
                answer
                    == #"{"description":"Keeps payments.","endpoints":[{"metadata":{},"name":"queue.heads","#
                    + #""queue_group":"q","subject":"sb.payment.v1.queue.heads"}],"id":"instance-1","metadata":{},"#
                    + #""name":"payment-queue","type":"io.nats.micro.v1.info_response","version":"1.2.3"}"#)
        }
    }

    @Test func `TRACE has the spans of requests, with their callers' as parents, and none of polls`() async throws {
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in
                try await SpanTracer.during("work") { throw StoreError(.notFound, "none") }
            }
            $0.handle(PaymentEndpoints.listEvents) { _, _ in throw StoreError(.notFound, "none") }
        } _: { harness in
            let context = CallContext(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            _ = try? await harness.caller().call(PaymentEndpoints.heads, ServiceHarness.request, context: context)
            _ = try? await harness.callerBus.request(PaymentEndpoints.listEvents.subject)
            let spans = try await ServiceDiscovery(harness.callerBus).spans(SpanRequest(limit: 10))
            let request = try #require(spans.first { $0.name == "queue.heads" })
            #expect(request.traceId == "4bf92f3577b34da6a3ce929d0e0e4736" && request.parentSpanId == "00f067aa0ba902b7")
            #expect(request.service == "payment-queue" && request.instance == "instance-1")
            #expect(request.error == "notFound")
            let work = try #require(spans.first { $0.name == "work" })
            #expect(work.parentSpanId == request.spanId && work.traceId == request.traceId && spans.count == 2)
            let answer = try await ask(harness, "$SRV.TRACE.payment-queue")
            #expect(answer.contains(#""spans":[]"#), "a request that cannot be read gets none")
        }
    }

    @Test func `STATS counts requests, errors and time per endpoint`() async throws {
        let fails = Locked(false)
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in
                if fails.withLock({ $0 }) { throw StoreError(.keyReused, "no") }
                return HeadsReply(heads: [])
            }
        } _: { harness in
            let caller = harness.caller()
            for _ in 0..<3 { _ = try await caller.call(PaymentEndpoints.heads, ServiceHarness.request) }
            fails.withLock { $0 = true }
            _ = try? await caller.call(PaymentEndpoints.heads, ServiceHarness.request)
            let text = try await ask(harness, "$SRV.STATS.payment-queue.instance-1")
            let stats = try StoreJSON.decode(StatsResponse.self, from: Array(text.utf8))
            #expect(stats.type == "io.nats.micro.v1.stats_response")
            #expect(stats.endpoints.count == 1)
            #expect(stats.endpoints[0].requests == 4)
            #expect(stats.endpoints[0].errors == 1)
            #expect(stats.endpoints[0].lastError == "422 keyReused")
            #expect(stats.endpoints[0].averageProcessingTime == stats.endpoints[0].processingTime / 4)
            for name in ["num_requests", "num_errors", "last_error", "processing_time", "average_processing_time"] {
                #expect(text.contains("\"\(name)\":"))
            }
            #expect(text.contains(#""started":"20"#))
        }
    }

    @Test func `HEALTH is the worst of the checks, and a check without an answer has failed`() async throws {
        let gate = CallGate()
        try await ServiceHarness.with {
            $0.healthCheck("database") { .pass }
            $0.healthCheck("charges") { .warn("12 charges wait") }
        } _: { harness in
            let answer = try await ask(harness, "$SRV.HEALTH")
            #expect(
                answer
                    == #"{"checks":{"charges":{"message":"12 charges wait","status":"warn"},"#
                    + #""database":{"status":"pass"}},"id":"instance-1","name":"payment-queue","status":"warn","#
                    + #""type":"dev.storebus.micro.v1.health_response","version":"1.2.3"}"#)
            harness.service.healthCheck("stuck") {
                await gate.pass()
                return .pass
            }
            for _ in 0..<2 {
                let health = await harness.service.healthResponse()
                #expect(health.checks["stuck"]?.status == .fail)
                #expect(health.status == .fail)
            }
            await gate.open()
        }
    }

    @Test func `HEALTH fails while a service takes no requests, before its first one and after its last`() async throws
    {
        let bus = InMemoryBus()
        let service = BusService(
            name: .catalog, version: "1", bus: bus.client(name: "catalog"), logger: silent, instance: "a")
        service.healthCheck("database") { .pass }
        #expect(await service.healthResponse().status == .fail)
        let running = Task { try await service.run() }
        await service.ready()
        let serving = await service.healthResponse()
        #expect(serving.status == .pass && serving.checks["serving"] == nil)
        running.cancel()
        try await running.value
        let stopped = await service.healthResponse()
        #expect(stopped.status == .fail && stopped.checks["serving"]?.status == .fail)
        #expect(stopped.checks["database"] == .pass)
    }

    @Test func `discovery finds every instance of every service`() async throws {
        let bus = InMemoryBus()
        var running: [Task<Void, any Error>] = []
        for (name, instance) in [(ServiceName.catalog, "a"), (.catalog, "b"), (.eligibility, "c")] {
            let service = BusService(
                name: name, version: "1", bus: bus.client(name: instance), logger: silent, instance: instance)
            running.append(Task { try await service.run() })
            await service.ready()
        }
        let discovery = ServiceDiscovery(bus.client(name: "test"))
        #expect(try await discovery.ping().map(\.id) == ["a", "b", "c"])
        #expect(try await discovery.ping("catalog").map(\.id) == ["a", "b"])
        #expect(try await discovery.health("eligibility").map(\.status) == [.pass])
        #expect(try await discovery.info("gateway").isEmpty)
        for task in running { task.cancel() }
        for task in running { try await task.value }
        #expect(bus.subscriptionCount == 0)
    }
}

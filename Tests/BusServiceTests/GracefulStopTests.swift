import BusClient
import BusService
import ServiceLifecycle
import StoreModels
import StorebusTesting
import Synchronization
import Testing

/// Goal: stopping a service loses no request it has taken. Method: requests are held in their handlers while it stops.
@Suite(.timeLimit(.minutes(1)))
struct GracefulStopTests {
    @Test func `requests in flight are finished, later ones have no responder`() async throws {
        let gate = CallGate()
        try await ServiceHarness.with {
            $0.handle(PaymentEndpoints.heads) { _, _ in
                await gate.pass()
                return HeadsReply(heads: [7])
            }
        } _: { harness in
            let calls = (0..<10).map { _ in
                Task { try await harness.caller().call(PaymentEndpoints.heads, ServiceHarness.request) }
            }
            try await eventually("all are in their handlers") { await gate.waiting == 10 }
            await harness.group.triggerGracefulShutdown()
            try await eventually("nobody takes requests any more") {
                do throws(BusError) {
                    _ = try await harness.callerBus.request(PaymentEndpoints.heads.subject, timeout: .milliseconds(20))
                    return false
                } catch {
                    return error.code == .noResponders
                }
            }
            // Only what came before the barrier is in a handler; the questions above may have been among that.
            let taken = await gate.waiting
            await gate.open()
            for call in calls { #expect(try await call.value.heads == [7]) }
            #expect(taken >= 10)
        }
    }

    @Test func `a drained instance finishes what it has taken, ends, and leaves its peers alone`() async throws {
        let gate = CallGate()
        let bus = InMemoryBus()
        let services = (0..<2).map { number in
            let service = BusService(
                name: .paymentQueue, version: "1", bus: bus.client(name: "replica\(number)"), logger: silent,
                instance: "i\(number)")
            service.handle(PaymentEndpoints.heads) { _, _ in
                await gate.pass()
                return HeadsReply(heads: [7])
            }
            return service
        }
        let running = services.map { service in
            Task {
                // As in a service's process.
                let whole = ServiceGroupConfiguration.ServiceConfiguration(
                    service: service, successTerminationBehavior: .gracefullyShutdownGroup)
                try await ServiceGroup(configuration: .init(services: [whole], logger: silent)).run()
            }
        }
        for service in services { await service.ready() }
        let client = bus.client(name: "test")
        let caller = ServiceCaller(bus: client, caller: "test")
        let calls = (0..<10).map { _ in Task { try await caller.call(PaymentEndpoints.heads, ServiceHarness.request) } }
        try await eventually("all are in their handlers") { await gate.waiting == 10 }
        #expect(try await ServiceDiscovery(client).drain("i9", until: .now) == nil)
        #expect(try await ServiceDiscovery(client).drain("i0")?.name == "payment-queue")
        await gate.open()
        for call in calls { #expect(try await call.value.heads == [7]) }
        try await running[0].value
        #expect(try await ServiceDiscovery(client).ping().map(\.id) == ["i1"])
        #expect(try await caller.call(PaymentEndpoints.heads, ServiceHarness.request).heads == [7])
        running[1].cancel()
        _ = try? await running[1].value
    }

    @Test func `a rolling restart of three replicas fails no request`() async throws {
        let bus = InMemoryBus()
        let caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test", retries: true)
        let replicas = (0..<3).map { number in
            let service = BusService(
                name: .paymentQueue, version: "1", bus: bus.client(name: "replica\(number)"), logger: silent)
            service.handle(PaymentEndpoints.heads) { _, _ in
                await Task.yield()
                return HeadsReply(heads: [Int64(number)])
            }
            return (service, ServiceGroup(services: [service], logger: silent))
        }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for (service, group) in replicas {
                tasks.addTask { try await group.run() }
                await service.ready()
            }
            let isOver = Atomic(false)
            let answered = Atomic(0)
            async let load: Void = {
                while !isOver.load(ordering: .relaxed) {
                    _ = try await caller.call(PaymentEndpoints.heads, ServiceHarness.request)
                    answered.add(1, ordering: .relaxed)
                }
            }()
            for (_, group) in replicas.dropLast() {
                let before = answered.load(ordering: .relaxed)
                try await eventually("requests flow") { answered.load(ordering: .relaxed) > before + 20 }
                await group.triggerGracefulShutdown()
            }
            let before = answered.load(ordering: .relaxed)
            try await eventually("requests flow") { answered.load(ordering: .relaxed) > before + 20 }
            isOver.store(true, ordering: .relaxed)
            // The last request needs the last replica.
            try await load
            await replicas[2].1.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
        #expect(bus.subscriptionCount == 0)
    }

    @Test func `the service ends with the reason when the bus ends`() async throws {
        let bus = InMemoryBus()
        let client = bus.client(name: "catalog")
        let service = BusService(name: .catalog, version: "1", bus: client, logger: silent)
        let running = Task { try await service.run() }
        await service.ready()
        client.kill()
        #expect(await #expect(throws: BusError.self) { try await running.value }?.code == .closed)
    }

    @Test func `waiting to be ready ends with the task`() async throws {
        let service = BusService(name: .catalog, version: "1", bus: InMemoryBus().client(name: "c"), logger: silent)
        let waiting = Task { await service.ready() }
        waiting.cancel()
        await waiting.value
    }
}

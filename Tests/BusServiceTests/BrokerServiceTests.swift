import Broker
import BusClient
import BusService
import EventLoop
import ServiceLifecycle
import StoreModels
import StorebusTesting
import Testing

/// Goal: services behave on a real broker as on the in-memory bus. Method: broker, service and caller in this process.
@Suite(.timeLimit(.minutes(1)))
struct BrokerServiceTests {
    @Test func `a service answers over the broker, on the loop, and stops gracefully`() async throws {
        let loop = try UVLoop.start(name: "test")
        let broker = BrokerServer(
            configuration: BrokerConfiguration(host: "127.0.0.1", port: 0, version: "test"), loop: loop, logger: silent)
        let url = BusURL(port: try await broker.start().port)
        let serviceBus = SBPClient(configuration: .init(url: url, name: "payment-queue"), loop: loop, logger: silent)
        let callerBus = SBPClient(configuration: .init(url: url, name: "test"), loop: loop, logger: silent)
        serviceBus.start()
        callerBus.start()
        let service = BusService(name: .paymentQueue, version: "1", bus: serviceBus, logger: silent)
        service.handle(PaymentEndpoints.heads) { _, _ in HeadsReply(heads: [loop.isCurrent ? 1 : 0]) }
        let group = ServiceGroup(services: [service], logger: silent)
        let running = Task { try await group.run() }
        await service.ready()
        try await callerBus.waitUntilConnected(timeout: .seconds(5))
        let caller = ServiceCaller(bus: callerBus, caller: "test")
        #expect(try await caller.call(PaymentEndpoints.heads, ServiceHarness.request).heads == [1])
        #expect(try await ServiceDiscovery(callerBus).ping().map(\.name) == ["payment-queue"])
        await group.triggerGracefulShutdown()
        try await running.value
        let error = await #expect(throws: StoreError.self) {
            try await caller.call(PaymentEndpoints.heads, ServiceHarness.request)
        }
        #expect(error?.code == .serviceUnavailable)
        await serviceBus.close()
        await callerBus.close()
        await broker.kill()
        await loop.close()
    }

    @Test func `a service without a broker ends at once on shutdown`() async throws {
        let loop = try UVLoop.start(name: "test")
        let listener = BrokerServer(
            configuration: BrokerConfiguration(host: "127.0.0.1", port: 0, version: "test"), loop: loop, logger: silent)
        let port = try await listener.start().port
        await listener.kill()
        let bus = SBPClient(configuration: .init(url: BusURL(port: port), name: "alone"), loop: loop, logger: silent)
        bus.start()
        let service = BusService(name: .catalog, version: "1", bus: bus, logger: silent)
        let group = ServiceGroup(services: [service], logger: silent)
        let running = Task { try await group.run() }
        for await state in bus.states {
            if case .disconnected = state { break }
        }
        await group.triggerGracefulShutdown()
        try await running.value
        await bus.close()
        await loop.close()
    }
}

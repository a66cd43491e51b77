import Broker
import BusClient
import BusService
import EventLoop
import ServiceLifecycle
import StoreModels
import StorebusTesting
import Synchronization
import Testing

/// Goal: a service is updated without a failed request. Method: a real broker, three replicas with a connection each,
/// and a caller that sends up to two thousand requests a second while each replica in turn stops and comes back.
@Suite(.timeLimit(.minutes(2)))
struct RollingRestartTests {
    private struct Replica {
        let bus: SBPClient
        let group: ServiceGroup
        let running: Task<Void, any Error>

        static func start(_ url: BusURL, on loop: UVLoop) async throws -> Replica {
            let bus = SBPClient(configuration: .init(url: url, name: "payment-queue"), loop: loop, logger: silent)
            bus.start()
            let service = BusService(name: .paymentQueue, version: "1", bus: bus, logger: silent)
            service.handle(PaymentEndpoints.heads) { _, _ in
                await Task.yield()
                return HeadsReply(heads: [7])
            }
            let group = ServiceGroup(services: [service], logger: silent)
            let running = Task { try await group.run() }
            await service.ready()
            return Replica(bus: bus, group: group, running: running)
        }

        func stop() async throws {
            await group.triggerGracefulShutdown()
            try await running.value
            await bus.drain()
        }
    }

    private final class Tally: Sendable {
        let answered = Atomic(0)
        let failed = Locked<[StoreError]>([])
        let isOver = Atomic(false)
    }

    @Test func `C28: three replicas are restarted one after the other under load, and no request fails`() async throws {
        let loop = try UVLoop.start(name: "test")
        let broker = BrokerServer(
            configuration: BrokerConfiguration(host: "127.0.0.1", port: 0, version: "test"), loop: loop, logger: silent)
        let url = BusURL(port: try await broker.start().port)
        let callerBus = SBPClient(configuration: .init(url: url, name: "test"), loop: loop, logger: silent)
        callerBus.start()
        try await callerBus.waitUntilConnected(timeout: .seconds(10))
        var replicas: [Replica] = []
        for _ in 0..<3 { replicas.append(try await .start(url, on: loop)) }
        let tally = Tally()
        let load = Task { await Self.load(ServiceCaller(bus: callerBus, caller: "test"), tally, loop) }
        for number in replicas.indices {
            try await Self.more(1_000, tally)
            try await replicas[number].stop()
            try await Self.more(1_000, tally)
            replicas[number] = try await .start(url, on: loop)
        }
        try await Self.more(1_000, tally)
        tally.isOver.store(true, ordering: .relaxed)
        await load.value
        #expect(tally.failed.withLock { $0 } == [])
        for replica in replicas { try await replica.stop() }
        await callerBus.close()
        await broker.kill()
        await loop.close()
    }

    /// Twenty requests every ten milliseconds, none of them repeated.
    private static func load(_ caller: ServiceCaller, _ tally: Tally, _ loop: UVLoop) async {
        await withDiscardingTaskGroup { group in
            while !tally.isOver.load(ordering: .relaxed) {
                for _ in 0..<20 {
                    group.addTask {
                        do throws(StoreError) {
                            let context = CallContext(deadline: .now + .seconds(30))
                            _ = try await caller.call(
                                PaymentEndpoints.heads, ServiceHarness.request, context: context)
                            tally.answered.add(1, ordering: .relaxed)
                        } catch {
                            tally.failed.withLock { $0.append(error) }
                        }
                    }
                }
                try? await loop.sleep(for: .milliseconds(10))
            }
        }
    }

    private static func more(_ count: Int, _ tally: Tally) async throws {
        let wanted = tally.answered.load(ordering: .relaxed) + count
        try await eventually("\(count) more are answered", within: .seconds(60)) {
            tally.answered.load(ordering: .relaxed) >= wanted
        }
    }
}

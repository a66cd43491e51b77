import BusClient
import BusService
import EventLoop
import Logging
import StoreModels

/// A service of the store played by a test: real endpoints on the in-memory bus, answers as the test likes.
final class FakeService: Sendable {
    let client: InMemoryClient
    private let service: BusService
    private let running = Locked<Task<Void, any Error>?>(nil)

    init(_ name: ServiceName, on bus: InMemoryBus) {
        client = bus.client(name: name.rawValue)
        var logger = Logger(label: name.rawValue)
        logger.logLevel = .critical
        service = BusService(name: name, version: "test", bus: client, logger: logger)
    }

    /// Registers endpoints of a real service, before ``start()``.
    func register(_ endpoints: (BusService) -> Void) { endpoints(service) }

    func handle<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ handler: @escaping @Sendable (Request) async throws -> Response
    ) {
        service.handle(endpoint) { request, _ in try await handler(request) }
    }

    func start() async {
        let task = Task { try await service.run() }
        running.withLock { $0 = task }
        await service.ready()
    }

    /// Its requests have no responder any more, as after `kill -9`.
    func goAway() { client.disconnect() }
    func comeBack() { client.reconnect() }

    func stop() async {
        let task = running.withLock { $0 }
        task?.cancel()
        await client.close()
        _ = try? await task?.value
    }
}

import BusClient
import BusService
internal import Logging
import StoreModels
internal import Testing

/// A service that answers on a bus inside the process until a test stops it. An error that the endpoint does not declare
/// fails the run.
///
/// ```swift
/// let running = await RunningService.start(.catalog, on: bus) { CatalogHandlers(store: store).register(on: $0) }
/// …
/// await running.stop()
/// ```
package final class RunningService: Sendable {
    private let task: Task<Void, any Error>

    private init(_ task: Task<Void, any Error>) { self.task = task }

    /// Returns when the service takes requests.
    /// - Parameters:
    ///   - logs: The store of its log lines. Without it they are dropped.
    ///   - register: Registers its endpoints.
    package static func start(
        _ name: ServiceName, on bus: InMemoryBus, logs: LogCapture? = nil, register: (BusService) -> Void
    ) async -> RunningService {
        let logger = Logger(label: "test") { _ in logs?.handler() ?? SwiftLogNoOpLogHandler() }
        let service = BusService(
            name: name, version: "test", bus: bus.client(name: name.rawValue), logger: logger,
            undeclared: { subject, code in
                Issue.record("\(subject) answers \(code), and its Endpoint does not declare it")
            })
        register(service)
        // Not a child of the test: it is stopped by hand, as a process is.
        let task = Task { try await service.run() }
        await service.ready()
        return RunningService(task)
    }

    /// Takes it down as a kill does, and waits for its end.
    package func stop() async {
        task.cancel()
        _ = await task.result
    }
}

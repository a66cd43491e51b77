import BusClient
import BusService
import Logging
import StoreModels

@testable import Catalog

/// Catalog on a bus inside the process, and somebody who calls it.
func withCaller(_ body: (ServiceCaller) async throws -> Void) async throws {
    try await withCatalog { store async throws in
        let bus = InMemoryBus()
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = BusService(name: .catalog, version: "test", bus: bus.client(name: "catalog"), logger: logger)
        CatalogHandlers(store: store).register(on: service)
        let running = Task { try await service.run() }
        await service.ready()
        do {
            try await body(ServiceCaller(bus: bus.client(name: "test"), caller: "test"))
        } catch {
            running.cancel()
            throw error
        }
        running.cancel()
        _ = await running.result
    }
}

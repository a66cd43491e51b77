import BusClient
import BusService
import ServiceTesting
import StoreModels

@testable import Catalog

/// Catalog on a bus inside the process, and a caller.
func withCaller(_ body: (ServiceCaller) async throws -> Void) async throws {
    try await withCatalog { store async throws in
        let bus = InMemoryBus()
        let running = await RunningService.start(.catalog, on: bus) { CatalogHandlers(store: store).register(on: $0) }
        do {
            try await body(ServiceCaller(bus: bus.client(name: "test"), caller: "test"))
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }
}

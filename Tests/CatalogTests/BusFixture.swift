import BusClient
import BusService
import EventLoop
import ServiceDatabase
import ServiceTesting
import StoreModels

@testable import Catalog

/// Catalog on a bus inside the process, and a caller.
func withCaller(_ body: (ServiceCaller) async throws -> Void) async throws {
    try await withStoreAndCaller { _, caller in try await body(caller) }
}

/// As ``withCaller(_:)``, with the store behind the endpoints.
/// - Parameter recalled: Gets the apps of recalls, nil for all apps.
func withStoreAndCaller(
    recalled: Locked<[String?]> = Locked([]), _ body: (CatalogStore, ServiceCaller) async throws -> Void
) async throws {
    try await withCatalog { store async throws in
        let bus = InMemoryBus()
        let leases = LeaseIssuer(store.apps.database, logger: store.loader.logger) { _, message, _ in
            recalled.withLock { $0.append(message.bundleId) }
            return true
        }
        let running = await RunningService.start(.catalog, on: bus) {
            CatalogHandlers(store: store, leases: leases).register(on: $0)
        }
        do {
            try await body(store, ServiceCaller(bus: bus.client(name: "test"), caller: "test"))
        } catch {
            await running.stop()
            throw error
        }
        await running.stop()
    }
}

extension CatalogHandlers {
    /// Creates handlers for tests without readers. A change waits for each lease to run out.
    init(store: CatalogStore) {
        self.init(
            store: store,
            leases: LeaseIssuer(store.apps.database, logger: store.loader.logger) { _, _, _ in false })
    }
}

import BusService
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Assembles the service in a process.
package enum CatalogProcess {
    /// Runs the service until the process receives a signal to stop.
    /// - Throws: `ExitCode`, after the reason was written to standard error.
    package static func run(options: ServiceOptions, sample: Bool) async throws {
        try await ServiceMain.run(name: .catalog, options: options, description: "Apps, products, prices and offers.") {
            environment in try await build(environment, sample: sample)
        }
    }

    /// Opens the database, reads the catalogues and registers the endpoints.
    ///
    /// - Parameter sample: Whether to activate the sample catalogue when the store has no app. `catalog.sample` does,
    ///   too.
    /// - Throws: `StartupError` that names the file and the remedy.
    private static func build(
        _ environment: ServiceEnvironment, sample: Bool
    ) async throws -> [any ServiceLifecycle.Service] {
        let wantsSample = try environment.configuration.bool("catalog.sample", default: false) || sample
        do {
            let database = try await environment.openDatabase(CatalogStore.migrations)
            let store = try await CatalogStore.load(database, logger: environment.logger)
            if wantsSample, try await store.importSampleIfEmpty() {
                environment.logger.info("sample catalogue imported", metadata: ["bundleId": "com.example.app"])
            }
            let leases = LeaseIssuer(.catalog, database, on: environment.service)
            CatalogHandlers(store: store, leases: leases).register(on: environment.service)
            environment.service.healthCheck(of: database)
            environment.service.healthCheck("catalogues") {
                let names = store.unreadableApps.sorted().prefix(5)
                return names.isEmpty ? .pass : .warn("import again, unreadable: \(names.joined(separator: ", "))")
            }
            return [database, store.sweeper, store.refresher, leases]
        } catch let error as PersistenceError {
            throw StartupError(ProcessExit(rawValue: error.exitCode) ?? .bug, error.message)
        }
    }
}

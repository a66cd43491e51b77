import Logging
import Persistence
import ServiceLifecycle

/// Takes over what other processes of the service have committed, within half a second. There are others only on
/// PostgreSQL; on SQLite it does nothing.
package struct CatalogRefresher: ServiceLifecycle.Service {
    /// Between two looks; monotonic. Whoever keeps products looks once a second (`architecture.md`), and must not see
    /// an old version for much longer than that.
    static let interval: Duration = .milliseconds(500)

    let loader: AppLoader
    let logger: Logger

    /// Looks until graceful shutdown.
    package func run() async throws {
        guard loader.apps.database.dialect == .postgres else {
            // Ends with the service, as the others do.
            try? await gracefulShutdown()
            return
        }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await loader.refresh()
                } catch {
                    logger.warning("catalogues not refreshed, it will be tried again", metadata: ["error": "\(error)"])
                }
                // Ends early only with the process.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }
}

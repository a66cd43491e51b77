import Logging
import Persistence
import ServiceLifecycle

/// Loads what other processes of the service have committed, within half a second. There are others only on PostgreSQL;
/// on SQLite it does nothing.
package struct CatalogRefresher: ServiceLifecycle.Service {
    /// Time between two reads; monotonic. Services that cache products check versions once a second
    /// (`architecture.md`), and must not see an old version for much longer than that.
    static let interval: Duration = .milliseconds(500)

    let loader: AppLoader
    let logger: Logger

    /// Reads until graceful shutdown.
    package func run() async throws {
        guard loader.apps.database.dialect == .postgres else {
            // Ends with the service, as on PostgreSQL.
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

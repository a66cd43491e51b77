import Logging
import Persistence
import ServiceLifecycle

/// Loads the commits of the service's other processes, within half a second. On SQLite this process is the only one,
/// and it does nothing.
package struct CatalogRefresher: ServiceLifecycle.Service {
    /// The time between two reads, on the monotonic clock. Services that cache products check versions once a second
    /// (ADR 0021), and must not see an old version for much longer.
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

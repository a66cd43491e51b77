import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle

/// Loads the commits of the service's other processes ahead of requests. Does nothing on SQLite, where this process is
/// the only one.
///
/// Each reply about an app reads the app's row first (ADR 0021). Then a large file is in memory already.
package struct CatalogRefresher: ServiceLifecycle.Service {
    /// The time between two reads, on the monotonic clock.
    static let interval = BackgroundJob.slowSweep

    let loader: AppLoader
    let logger: Logger

    /// Reads until graceful shutdown.
    package func run() async throws {
        guard loader.apps.database.dialect == .postgres else {
            // Ends with the service, as on PostgreSQL.
            try? await gracefulShutdown()
            return
        }
        await BackgroundJob.run([
            .repeating("catalogue refresh", every: Self.interval, loader.apps.database.commits, logger) {
                try await loader.refresh()
                return .interval
            }
        ])
    }
}

import Persistence

/// One life of a service with a database, like that of a process from start to end.
package final class ServiceLife<Service: Sendable, Checkpoint: Equatable & Sendable>: Sendable {
    /// Open as long as the life lasts.
    package let database: any SQLDatabase
    /// The service on this database.
    package let service: Service
    /// The place where this life may be made to end.
    package let crash: CrashPlan<Checkpoint>
    private let running: RunningService

    /// Begins the life of a service that the test has made.
    package init(
        _ service: Service, _ database: any SQLDatabase, _ crash: CrashPlan<Checkpoint>, _ running: RunningService
    ) {
        self.service = service
        self.database = database
        self.crash = crash
        self.running = running
    }

    /// Ends it: its requests, then its database.
    package func stop() async {
        await running.stop()
        await database.close()
    }
}

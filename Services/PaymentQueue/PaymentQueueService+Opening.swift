import Operations
import Persistence
import ServiceDatabase

extension PaymentQueueService {
    /// The service of a process, with its database opened and migrated.
    /// - Throws: A `StartupError` that names the place, what is wrong with it and the remedy.
    package static func open(_ environment: ServiceEnvironment) async throws(StartupError) -> PaymentQueueService {
        PaymentQueueService(
            database: try await environment.openDatabase(PaymentQueueSchema.migrations), bus: environment.bus,
            logger: environment.logger, checkpoint: try checkpoints(environment))
    }
}

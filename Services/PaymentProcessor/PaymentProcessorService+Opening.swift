import Operations
import Persistence
import ServiceDatabase

extension PaymentProcessorService {
    /// Opens the ledger and migrates its schema.
    /// - Throws: A `StartupError` that names the place, the problem and the remedy.
    package static func openDatabase(_ environment: ServiceEnvironment) async throws(StartupError) -> any SQLDatabase {
        try await environment.openDatabase(PaymentProcessorSchema.migrations)
    }
}

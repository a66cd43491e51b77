import Operations
import Persistence
import ServiceDatabase

extension PaymentProcessorService {
    /// Opens the ledger and brings its schema up to date.
    /// - Throws: a `StartupError` that names the place, what is wrong with it and the remedy.
    package static func openDatabase(_ environment: ServiceEnvironment) async throws(StartupError) -> any SQLDatabase {
        try await environment.openDatabase(PaymentProcessorSchema.migrations)
    }
}

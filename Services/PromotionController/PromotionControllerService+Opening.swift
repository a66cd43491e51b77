import Operations
import Persistence
import ServiceDatabase

extension PromotionControllerService {
    /// Opens the service's database and migrates its schema.
    /// - Throws: A `StartupError` that names the place, the problem and the remedy.
    package static func openDatabase(_ environment: ServiceEnvironment) async throws(StartupError) -> any SQLDatabase {
        try await environment.openDatabase(migrations)
    }
}

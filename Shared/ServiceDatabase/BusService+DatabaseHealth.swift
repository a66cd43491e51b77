import BusService
import Persistence

extension BusService {
    /// Registers the health of a database. It fails while nothing can be written, and warns when acknowledged commits
    /// may be lost.
    package func healthCheck(_ name: String = "database", of database: any SQLDatabase) {
        healthCheck(name) {
            if let fault = database.fault { return .fail(fault.message) }
            return database.synchronous.weakness.map { .warn($0) } ?? .pass
        }
    }
}

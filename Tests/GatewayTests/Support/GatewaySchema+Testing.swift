import Logging
import Persistence

@testable import Gateway
@testable import GatewayEdge

extension GatewaySchema {
    /// Opens the database of a test's own gateway, in a file.
    static func open(in directory: String, logger: Logger) throws(PersistenceError) -> SQLiteDatabase {
        try SQLiteDatabase.open(
            path: "\(directory)/gateway.sqlite", holder: "gateway", migrations: GatewaySchema.migrations,
            logger: logger)
    }
}

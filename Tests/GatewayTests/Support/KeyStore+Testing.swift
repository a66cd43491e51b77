import Logging
import Persistence

@testable import Gateway

extension KeyStore {
    /// A key store of a test's own, in a file.
    static func open(in directory: String, logger: Logger) throws(PersistenceError) -> KeyStore {
        KeyStore(
            database: try SQLiteDatabase.open(
                path: "\(directory)/gateway.sqlite", holder: "gateway", migrations: GatewaySchema.migrations,
                logger: logger
            ))
    }
}

/// Names the store and the database a service instance works on.
///
/// It is announced in the `metadata` of every discovery answer: `{"database":"9f2c…","store":"51ab…"}`.
package struct StoreIdentity: Sendable, Equatable {
    private static let databaseKey = "database"
    private static let storeKey = "store"

    /// Made with the database. Replicas of a service share it.
    package var database: String
    /// Shared by the databases of all services of one store. Nil until it is known.
    package var store: String?

    /// Creates the identity of a database, whose store may be unknown yet.
    package init(database: String, store: String? = nil) {
        self.database = database
        self.store = store
    }

    /// Reads the identity from a discovery answer. Nil for a service without a database.
    init?(metadata: [String: String]) {
        guard let database = metadata[Self.databaseKey] else { return nil }
        self.init(database: database, store: metadata[Self.storeKey])
    }

    /// The members for a discovery answer's `metadata`.
    var metadata: [String: String] {
        var metadata = [Self.databaseKey: database]
        metadata[Self.storeKey] = store
        return metadata
    }
}

/// Explains why a service's database must not be used on this bus.
package enum StoreConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The service's database belongs to another store than the one on the bus.
    case otherStore(service: String, own: String, onBus: String, announcedBy: String)
    /// Another instance of the same service works on another database.
    case otherDatabase(service: String, own: String, onBus: String)
    /// Databases of two stores are on the bus already.
    case twoStores(service: String, first: String, second: String)

    /// One line with both identities and the remedy.
    package var description: String {
        switch self {
        case .otherStore(let service, let own, let onBus, let peer):
            """
            the database of this \(service) belongs to store \(own), but \(peer) says that the store on the bus is \
            \(onBus); correct BUS_URL, --data or DATABASE_URL, and restore a backup for all services together
            """
        case .otherDatabase(let service, let own, let onBus):
            """
            another \(service) is on the bus with database \(onBus), and this one has database \(own); stop one of \
            them, or give both the same DATABASE_URL
            """
        case .twoStores(let service, let first, let second):
            """
            databases of two stores are on the bus, \(first) and \(second), and the database of this \(service) is \
            new; stop the services of one of them
            """
        }
    }
}

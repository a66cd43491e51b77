/// Decides whether a service may join the databases on the bus. No I/O.
///
/// A new database belongs to no store yet. It takes over the store of the other databases. Where none of them has one
/// for 3 s, the service that makes stores makes one. A store once taken over is never exchanged.
struct StoreMembershipRule: Sendable {
    /// A service instance with a database, as discovery reports it.
    struct Peer: Sendable, Equatable {
        var service: String
        var instance: String
        var identity: StoreIdentity
    }

    enum Decision: Equatable {
        /// Nothing is to be done.
        case stay
        /// The database takes over the store of the others.
        case adopt(String)
        /// No database has a store: one is made.
        case make
        case refuse(StoreConflict)
    }

    /// How long no database has a store before one is made. An older database has the time to start.
    static let makesAfter: Duration = .seconds(3)

    private(set) var own: Peer
    /// Whether this service makes the missing store. Exactly one service does.
    let makesStore: Bool
    private var withoutStoreSince: ContinuousClock.Instant?

    init(own: Peer, makesStore: Bool) {
        self.own = own
        self.makesStore = makesStore
    }

    /// Decides by the instances on the bus now, this instance's own answer left out.
    mutating func decide(_ peers: [Peer], now: ContinuousClock.Instant) -> Decision {
        let others = peers.filter { $0.instance != own.instance }
        let settled = others.filter { $0.identity.store != nil }
        if let store = own.identity.store,
            let stranger = settled.first(where: { $0.identity.store != store })
        {
            return .refuse(
                .otherStore(
                    service: own.service, own: store, onBus: stranger.identity.store ?? "",
                    announcedBy: stranger.service))
        }
        if let rival = others.first(where: {
            $0.service == own.service && $0.identity.database != own.identity.database
        }) {
            return .refuse(
                .otherDatabase(service: own.service, own: own.identity.database, onBus: rival.identity.database))
        }
        guard own.identity.store == nil else { return .stay }
        guard let store = settled.first?.identity.store else { return withoutStore(now) }
        if let second = settled.compactMap(\.identity.store).first(where: { $0 != store }) {
            return .refuse(.twoStores(service: own.service, first: store, second: second))
        }
        return .adopt(store)
    }

    /// Notes the store that is in the database now.
    mutating func keep(_ store: String) { own.identity.store = store }

    private mutating func withoutStore(_ now: ContinuousClock.Instant) -> Decision {
        guard makesStore else { return .stay }
        let since = withoutStoreSince ?? now
        withoutStoreSince = since
        return now - since >= Self.makesAfter ? .make : .stay
    }
}

import StoreModels

/// Isolated stores on one installation, each with its own clock, catalogue and customers.
package enum IsolatedStoreRoutes {
    /// The prefix of a path to an isolated store, before the store's name.
    package static let pathPrefix = "/s/"
    /// The header that names an isolated store, where the path does not.
    package static let header = "X-Storebus-Store"

    /// Makes a store with a copy of an app.
    ///
    /// The store has a copy of the app's catalogue and settings, a clock that moves by call only, and no customers.
    /// Requests reach it by the path prefix `/s/{store}`, the header `X-Storebus-Store`, or credentials made in it.
    /// Every path then means the store's app. Stores of equal seeds show equal identifiers.
    package static let create = HTTPEndpoint<NewIsolatedStore, IsolatedStoreResponse>(
        "createStore", .post, "/admin/v1/stores", .admin,
        responses: [.created()], errors: [.notFound])
    /// Makes a store with the catalogue of a file, which may be of an app that the installation lacks.
    ///
    /// The store has what else it would have of the app: settings, images and content. If the file is refused, there is
    /// no store. The file is read as by the import of a catalogue.
    package static let createFromFile = HTTPEndpoint<RawBody, IsolatedStoreResponse>(
        "createStoreFromFile", .post, "/admin/v1/stores/file", .admin,
        parameters: [
            .newStoreBundleId, .fileName, .newStoreClock, .newStoreRunning, .newStoreTTL, .newStoreSeed,
        ], body: .streamed, content: .json("CatalogFile"), responses: [.created()],
        errors: [.lengthRequired, .catalogInvalid, .tooMany])
    /// Makes a store with everything that another store, or a snapshot, has.
    ///
    /// The new store has its catalogue, customers, transactions, devices, settings and notifications, the same seed,
    /// and the same time on a frozen clock. It has keys of its own. Do the same in both, and both show the same.
    ///
    /// If a purchase, a renewal or a notification is under way, the request waits for its end, up to two seconds.
    package static let fork = HTTPEndpoint<ForkedStore, IsolatedStoreResponse>(
        "forkStore", .post, "/admin/v1/stores/{store}/fork", .admin, isBodyOptional: true, responses: [.created()])
    /// Keeps a store as it is now, under a name, for any number of forks.
    ///
    /// A snapshot is a store that no request reaches and whose clock is frozen. It costs as much space as its rows.
    /// The list of the stores has it. Delete it by its name.
    package static let snapshot = HTTPEndpoint<NewSnapshot, IsolatedStore>(
        "snapshotStore", .post, "/admin/v1/stores/{store}/snapshot", .admin, responses: [.created()])
    /// Lists the stores and snapshots, oldest first.
    ///
    /// A store that is being removed is listed until its last data is gone.
    package static let list = HTTPEndpoint<Empty, IsolatedStoresResponse>(
        "listStores", .get, "/admin/v1/stores", .admin,
        parameters: .adminPage, needs: .storage)
    /// Closes a store at once and removes its data, or a snapshot's.
    ///
    /// Its keys and sessions open nothing from then on. The services remove the rest afterwards.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        "deleteStore", .delete, "/admin/v1/stores/{store}", .admin,
        needs: .storage)

    /// Tells whether an operator's route is about the data that a store has for itself. A store's key opens these.
    ///
    /// The others are about the installation, such as the list of its apps, and an app's deletion. So is what its
    /// certificates sign: a store's key neither signs a payload of its holder's choice nor chooses the environment that
    /// payloads name.
    package static func isOwn(_ route: HTTPRoute) -> Bool {
        let segments = route.path.segments
        guard segments.count > 2, case .literal(let collection) = segments[2],
            !segments.contains(.literal("signing")), route != AppStoreServerRoutes.putSettings.route,
            route != AppRoutes.delete.route
        else { return false }
        return collection == "apps" ? route.path.parameters.contains(.bundleId) : ownCollections.contains(collection)
    }

    private static let ownCollections: Set = [
        "devices", "events", "intents", "prompts", "refundRequests", "subscriptions", "testers", "transactions",
    ]
}

extension Parameter {
    fileprivate static let newStoreBundleId = Parameter(
        "bundleId", as: "newStoreBundleId", isRequired: true, "The app's bundle identifier in the store.",
        .bundleIdentifier, example: "com.example.app")
    fileprivate static let newStoreClock = Parameter(
        "clock", as: "newStoreClock", "The instant that the store's clock is set to. Left out, it is now.",
        ["type": "string", "format": "date-time"],
        example: "2026-01-01T00:00:00Z")
    fileprivate static let newStoreRunning = Parameter(
        "running", as: "newStoreRunning", "Whether the store's clock runs.", ["type": "boolean", "default": false],
        example: true)
    fileprivate static let newStoreTTL = Parameter(
        "ttl", as: "newStoreTTL", "How long the store lasts, at most `7d`. Left out, it is an hour.",
        .text(matching: "^[0-9]+[smhd]$"), example: "10m")
    fileprivate static let newStoreSeed = Parameter(
        "seed", as: "newStoreSeed", "Stores with equal seeds show equal identifiers. Left out, it is a random one.",
        ["type": "integer", "minimum": 0, "maximum": 4_294_967_295], example: 42)
}

/// The body of `POST /admin/v1/stores`:
///
/// ```json
/// {"from":{"bundleId":"com.example.app"},"clock":"2026-01-01T00:00:00Z","ttl":"10m","seed":42}
/// ```
package struct NewIsolatedStore: Hashable, Sendable, Codable {
    /// The source from which a store is made.
    package struct Source: Hashable, Sendable, Codable {
        /// The app whose catalogue and settings are copied.
        package var bundleId: String
    }

    package var from: Source
    /// The instant that the store's clock is set to, 2000 to 2199. Left out, it is now by the wall clock.
    package var clock: Timestamp?
    /// Whether the store's clock runs. Left out, it is false: the clock moves by call only.
    package var running: Bool?
    /// How long the store lasts by the wall clock: `90s`, `10m`, `36h`, at most `7d`. Left out, it is an hour.
    package var ttl: String?
    /// Stores with equal seeds show equal identifiers. Left out, it is a random one.
    package var seed: Int64?
}

/// The response of `POST /admin/v1/stores`, the only one with the private key.
package struct IsolatedStoreResponse: Hashable, Sendable, Codable {
    /// The store's name: `t-` and a number.
    package var store: String
    /// Where clients of the store send requests: the gateway's address, `/s/` and the name.
    package var url: String
    package var bundleId: String
    /// The `iss` of the App Store Server API's tokens.
    package var issuerId: String
    /// Their `kid`, by which alone a token belongs to the store.
    package var keyId: String
    /// PEM, shown in this response only.
    package var privateKey: String
    /// A key for the operator's paths about this store's data, and no others. It ends with the store.
    package var adminKey: String
    /// Base64 of DER. The installation has one for all stores.
    package var rootCertificate: String
    package var seed: Int64
    /// By the wall clock.
    package var expiresAt: Timestamp
}

/// The optional body of `POST /admin/v1/stores/{store}/fork`: `{"ttl":"10m"}`.
package struct ForkedStore: Hashable, Sendable, Codable {
    /// Whether the new store's clock runs. Left out, it is false: the clock moves by call only.
    package var running: Bool?
    /// How long the new store lasts by the wall clock: `90s`, `10m`, `36h`, at most `7d`. Left out, it is an hour.
    package var ttl: String?
}

/// The body of `POST /admin/v1/stores/{store}/snapshot`: `{"name":"subscribed"}`.
package struct NewSnapshot: Hashable, Sendable, Codable {
    /// Maximum length of a name in bytes.
    package static let nameLengthMax = 64

    /// The snapshot's name, which no other snapshot has. It is not like a store's, such as `t-7`.
    package var name: String
    /// How long the snapshot lasts by the wall clock: `12h`, `20d`, at most `28d`. Left out, it is seven days.
    package var ttl: String?
}

/// An isolated store or snapshot in a list.
package struct IsolatedStore: Hashable, Sendable, Codable {
    /// Whether requests to a store are answered.
    package enum State: String, CaseIterable, Sendable, Codable {
        case open
        /// No request reaches it. Stores are made of it.
        case snapshot
        /// The store is closed, and the services are removing its data.
        case removing
    }

    /// The store's name: `t-` and a number.
    package var store: String
    package var bundleId: String
    package var state: State
    /// The name of a snapshot. Absent for a store.
    package var snapshot: String?
    package var seed: Int64
    /// By the wall clock.
    package var createdAt: Timestamp
    /// By the wall clock.
    package var expiresAt: Timestamp
}

/// The response of `GET /admin/v1/stores`.
package struct IsolatedStoresResponse: Hashable, Sendable, Codable {
    /// Oldest first.
    package var stores: [IsolatedStore]
    /// The next page's `after`. Absent on the last page.
    package var after: String?
}

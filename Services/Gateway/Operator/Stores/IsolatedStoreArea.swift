import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which the operator makes, lists and deletes isolated stores.
struct IsolatedStoreArea: Area {
    let stores: IsolatedStores
    let services: ServiceCaller
    /// Nil without an admin key.
    let storeKeys: StoreKeys?
    /// The gateway's address as clients reach it.
    let address: PublicAddress
    /// How long a copy waits for work under way in its source.
    var idleTime = Duration.seconds(2)

    var routes: [Route] {
        [
            Route(IsolatedStoreRoutes.create) { try await makeStore($0) },
            Route(IsolatedStoreRoutes.createFromFile) { try await makeStoreFromFile($0) },
            Route(IsolatedStoreRoutes.fork) { try await fork($0) },
            Route(IsolatedStoreRoutes.snapshot) { try await takeSnapshot($0) },
            Route(IsolatedStoreRoutes.list) { try await listStores($0) },
            Route(IsolatedStoreRoutes.delete) { call in
                let name = try call.parameter(.store, of: "isolated store")
                guard let bundleId = try await stores.close(name) else { throw IsolatedStores.unknown(name) }
                // The store is closed by its state, and for good when it has no key.
                _ = try await services.call(AppKeyEndpoints.removeAll, AppRequest(bundleId: bundleId), for: call)
                return .noContent
            },
        ]
    }

    private func makeStore(_ call: Call) async throws -> Reply<IsolatedStoreResponse> {
        try await make(
            try await call.body(of: IsolatedStoreRoutes.create), nil, place: "$.", bundleIdPlace: "$.from.bundleId",
            call)
    }

    /// Makes a store whose catalogue is the body.
    private func makeStoreFromFile(_ call: Call) async throws -> Reply<IsolatedStoreResponse> {
        let name = try call.query.single("fileName")
        if let name { try Identifier.check(name, at: "query fileName") }
        let file = PostedFile(upload: try CatalogUpload(call.request), name: name)
        return try await make(
            try NewIsolatedStore(call.query), file, place: "query ", bundleIdPlace: "query bundleId", call)
    }

    /// A catalogue that is posted.
    private struct PostedFile {
        let upload: CatalogUpload
        let name: String?
    }

    /// Gives a store the app's copy, and the posted catalogue in its place. With one the installation need not have the
    /// app.
    private func fill(_ app: IsolatedApp, _ file: PostedFile?, _ call: Call) async throws {
        do throws(StoreError) {
            _ = try await services.call(
                CatalogEndpoints.copyApp, CopyAppRequest(from: app.shownBundleId, to: app.bundleId), for: call)
        } catch {
            guard error.code == .notFound else { throw error }
            guard file != nil else {
                throw StoreError(.notFound, "there is no app \(app.shownBundleId); import a catalogue for it first")
            }
        }
        guard let file else { return }
        _ = try await file.upload.send(to: app.bundleId, fileName: file.name, isTrial: false, by: services, call)
    }

    /// Makes a store: a number, then its catalogue, clock and key at the same time. It opens when it has them.
    /// - Parameters:
    ///   - file: The catalogue in place of the app's. Nil for the app's.
    ///   - place: Where the members are, in errors.
    ///   - bundleIdPlace: Where the bundle identifier is.
    private func make(
        _ request: NewIsolatedStore, _ file: PostedFile?, place: String, bundleIdPlace: String, _ call: Call
    ) async throws -> Reply<IsolatedStoreResponse> {
        let lifetime = try Lifetime.store.duration(request.ttl, at: "\(place)ttl")
        try request.validate(place)
        try Identifier.check(request.from.bundleId, as: .bundle, at: bundleIdPlace)
        let base = request.from.bundleId
        let createdAt = stores.now()
        let expiresAt = createdAt + lifetime
        let app = try await stores.begin(
            base, seed: request.seed ?? Int64.random(in: IsolatedApp.seeds), at: createdAt, until: expiresAt)
        let opened = try await orAbandon(app) {
            let context = call.context(deadline: .now + HTTPLimits.requestTimeout)
            // Neither clock nor key needs the catalogue, and each is a commit in another service.
            async let clock = services.call(
                SubscriptionEndpoints.putClock,
                PutClockRequest(
                    bundleId: app.bundleId, rate: nil, now: request.clock, frozen: request.running != true),
                context: context)
            async let signing = signing(
                OpenStoreRequest(from: base, to: app.bundleId, expiresAt: expiresAt), context)
            try await fill(app, file, call)
            _ = try await clock
            let made = try await signing
            try await stores.open(app, until: expiresAt)
            return made
        }
        return try reply(app, opened, createdAt: createdAt, expiresAt: expiresAt)
    }

    /// Runs the making of a store. Gives the store up if it fails.
    /// - Parameter delay: How long a service may still write some of the store then.
    private func orAbandon<Made>(
        _ app: IsolatedApp, delay: Duration = .zero, _ make: () async throws -> Made
    ) async throws -> Made {
        do {
            return try await make()
        } catch {
            try? await stores.abandon(app, delay: delay)
            throw error
        }
    }

    private func reply(
        _ app: IsolatedApp, _ signing: Signing, createdAt: Timestamp, expiresAt: Timestamp
    ) throws -> Reply<IsolatedStoreResponse> {
        guard let storeKeys else { preconditionFailure("the operator's paths need an admin key") }
        return try Reply(
            IsolatedStoreResponse(
                store: app.store, url: address.current + IsolatedStoreRoutes.pathPrefix + app.store,
                bundleId: app.shownBundleId, issuerId: signing.facts.issuerId, keyId: signing.made.key.keyIdentifier,
                privateKey: signing.made.secret, adminKey: storeKeys.key(of: app.store, createdAt: createdAt),
                rootCertificate: signing.facts.rootCertificate, seed: app.seed, expiresAt: expiresAt),
            status: .created)
    }

    /// A store's key, and what verifies its signatures.
    private struct Signing {
        var made: NewAppKey
        var facts: VerificationFacts
    }

    private func signing(_ request: OpenStoreRequest, _ context: CallContext) async throws -> Signing {
        let made = try await services.call(SigningEndpoints.openStore, request, context: context)
        let facts = try await services.call(
            SigningEndpoints.verification, AppRequest(bundleId: request.to), context: context)
        return Signing(made: made, facts: facts)
    }

    // MARK: Copies

    private func fork(_ call: Call) async throws -> Reply<IsolatedStoreResponse> {
        let request = try await call.body(of: IsolatedStoreRoutes.fork)
        let lifetime = try Lifetime.store.duration(request.ttl, at: "$.ttl")
        let source = try await stores.source(try call.parameter(.store, of: "isolated store")).app
        let createdAt = stores.now()
        let expiresAt = createdAt + lifetime
        let app = try await stores.begin(
            source.shownBundleId, seed: source.seed, at: createdAt, until: createdAt + Self.copyTime)
        let opened = try await orAbandon(app, delay: Self.copyTime) {
            let made = try await copy(source, to: app, until: expiresAt, call)
            if request.running == true {
                _ = try await services.call(
                    SubscriptionEndpoints.putClock,
                    PutClockRequest(bundleId: app.bundleId, rate: nil, now: nil, frozen: false), for: call)
            }
            try await stores.open(app, until: expiresAt, of: source)
            return made
        }
        return try reply(app, opened, createdAt: createdAt, expiresAt: expiresAt)
    }

    private func takeSnapshot(_ call: Call) async throws -> Reply<IsolatedStore> {
        let request = try await call.body(of: IsolatedStoreRoutes.snapshot)
        let lifetime = try Lifetime.snapshot.duration(request.ttl, at: "$.ttl")
        try await stores.checkIsFree(request.name)
        let source = try await stores.source(try call.parameter(.store, of: "isolated store")).app
        let createdAt = stores.now()
        let expiresAt = createdAt + lifetime
        let app = try await stores.begin(
            source.shownBundleId, seed: source.seed, at: createdAt, until: createdAt + Self.copyTime)
        try await orAbandon(app, delay: Self.copyTime) {
            _ = try await copy(source, to: app, until: expiresAt, call)
            try await stores.keep(app, as: request.name, until: expiresAt, of: source)
        }
        return try Reply(
            IsolatedStore(
                store: app.store, bundleId: app.shownBundleId, state: .snapshot, snapshot: request.name, seed: app.seed,
                createdAt: createdAt, expiresAt: expiresAt),
            status: .created)
    }

    /// Has each service copy a store as it is between two pieces of work.
    /// - Returns: The copy's key.
    /// - Throws: `serviceUnavailable` for a store that is never idle, or changes meanwhile.
    private func copy(
        _ source: IsolatedApp, to app: IsolatedApp, until expiresAt: Timestamp, _ call: Call
    ) async throws -> Signing {
        let request = CopyAppRequest(from: source.bundleId, to: app.bundleId)
        let context = call.context()
        async let signing = signing(
            OpenStoreRequest(from: source.bundleId, to: app.bundleId, expiresAt: expiresAt), context)
        async let catalogue = services.call(CatalogEndpoints.copyApp, request, context: context)
        let mark = try await whenIdle(PaymentEndpoints.copyApp, request, context)
        // AppStoreServer imports the store's events first, and PromotionController asks for the copy's clock.
        async let notifications = whenIdle(NotificationEndpoints.copyApp, request, context)
        async let devices = whenIdle(PromotionEndpoints.copyApp, request, context)
        _ = try await (catalogue, notifications, devices)
        let made = try await signing
        let now = try await services.call(
            PaymentEndpoints.markApp, AppRequest(bundleId: source.bundleId), context: context)
        guard now == mark else {
            throw StoreError(
                .serviceUnavailable, "the store has changed while it was copied; repeat the request when it is idle",
                retryAfterMs: 0)
        }
        return made
    }

    /// Asks a service for a copy until the store is idle there, for at most ``idleTime``.
    private func whenIdle<Copied>(
        _ endpoint: Endpoint<CopyAppRequest, Copied>, _ request: CopyAppRequest, _ context: CallContext
    ) async throws -> Copied {
        let last = ContinuousClock.now + idleTime
        while true {
            do throws(StoreError) {
                return try await services.call(endpoint, request, context: context)
            } catch {
                guard error.code == .serviceUnavailable, error.retryAfterMs == 0, .now < last else { throw error }
            }
            try await Task.sleep(for: Self.idlePause)
        }
    }

    private static let idlePause = Duration.milliseconds(20)
    /// How long a copy takes at most. A gateway that dies leaves one that is removed then.
    private static let copyTime = Duration.seconds(60)

    private func listStores(_ call: Call) async throws -> IsolatedStoresResponse {
        let limit = try call.limit(HTTPLimits.adminPageMax)
        let after = try call.after().map { text throws(StoreError) in
            guard let number = IsolatedApp.number(ofStore: text) else {
                throw .invalid("query after", "must be the 'after' of the page before")
            }
            return number
        }
        let found = try await stores.list(after: after ?? 0, limit: limit + 1)
        let now = stores.now()
        return IsolatedStoresResponse(
            stores: found.prefix(limit).map { $0.shown(now: now) },
            after: found.count > limit ? found.prefix(limit).last?.app.store : nil)
    }
}

extension IsolatedStores.Stored {
    fileprivate func shown(now: Timestamp) -> IsolatedStore {
        IsolatedStore(
            store: app.store, bundleId: app.shownBundleId,
            state: expiresAt > now ? IsolatedStore.State(rawValue: state) ?? .removing : .removing, snapshot: snapshot,
            seed: app.seed, createdAt: createdAt, expiresAt: expiresAt)
    }
}

extension NewIsolatedStore {
    /// Reads the members from a query.
    /// - Throws: `requestInvalid`.
    fileprivate init(_ query: QueryParameters) throws(StoreError) {
        guard let bundleId = try query.single("bundleId") else { throw .invalid("query bundleId", "is missing") }
        let clock = try query.single("clock").map { text throws(StoreError) in
            guard let instant = Timestamp(text) else {
                throw .invalid("query clock", "must be an instant such as 2026-01-01T00:00:00Z")
            }
            return instant
        }
        let seed = try query.single("seed").map { text throws(StoreError) in
            guard let number = Int64(text) else { throw .invalid("query seed", "must be a number") }
            return number
        }
        self.init(
            from: .init(bundleId: bundleId), clock: clock, running: try query.boolean("running"),
            ttl: try query.single("ttl"), seed: seed)
    }

    /// - Throws: `requestInvalid` that names the member.
    fileprivate func validate(_ place: String) throws(StoreError) {
        if let clock { try ClockInstants.check(clock, at: "\(place)clock") }
        if let seed, !IsolatedApp.seeds.contains(seed) {
            throw .invalid("\(place)seed", "must be 0 to \(IsolatedApp.seeds.upperBound)")
        }
    }
}

extension NewSnapshot: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(name, at: "$.name", lengthMax: Self.nameLengthMax)
        guard IsolatedApp.number(ofStore: name) == nil else {
            throw .invalid("$.name", "must not be like the name of a store")
        }
    }
}

/// How long a store or snapshot lasts.
private struct Lifetime {
    static let store = Lifetime(usual: .seconds(3600), days: 7)
    /// Services remove events after thirty days.
    static let snapshot = Lifetime(usual: .seconds(7 * day), days: 28)

    private static let day = 24 * 3600
    private static let units: [UInt8: Int] = [
        UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): day,
    ]

    /// Without `ttl`.
    let usual: Duration
    /// Maximum number of days.
    let days: Int

    /// Reads a time such as `10m`.
    /// - Throws: `requestInvalid` that names `path`.
    func duration(_ ttl: String?, at path: String) throws(StoreError) -> Duration {
        guard let ttl else { return usual }
        guard let unit = ttl.utf8.last.flatMap({ Self.units[$0] }), let count = Int32(Substring(ttl.utf8.dropLast())),
            count > 0, Int(count) * unit <= days * Self.day
        else { throw .invalid(path, "must be a time of at most \(days) days, such as 90s, 10m, 36h or 7d") }
        return .seconds(Int(count) * unit)
    }
}

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

    var routes: [Route] {
        [
            Route(IsolatedStoreRoutes.create) { try await makeStore($0) },
            Route(IsolatedStoreRoutes.createFromFile) { try await makeStoreFromFile($0) },
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
        guard let storeKeys else { preconditionFailure("the operator's paths need an admin key") }
        let lifetime = try request.lifetime(place)
        try request.validate(place)
        try Identifier.check(request.from.bundleId, as: .bundle, at: bundleIdPlace)
        let base = request.from.bundleId
        let createdAt = stores.now()
        let expiresAt = createdAt + lifetime
        let app = try await stores.begin(
            base, seed: request.seed ?? Int64.random(in: IsolatedApp.seeds), at: createdAt, until: expiresAt)
        let made: NewAppKey
        let facts: VerificationFacts
        do {
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
            (made, facts) = try await signing
            try await stores.open(app)
        } catch {
            try? await stores.abandon(app)
            throw error
        }
        return try Reply(
            IsolatedStoreResponse(
                store: app.store, url: address.current + IsolatedStoreRoutes.pathPrefix + app.store,
                bundleId: base, issuerId: facts.issuerId, keyId: made.key.keyIdentifier, privateKey: made.secret,
                adminKey: storeKeys.key(of: app.store, createdAt: createdAt),
                rootCertificate: facts.rootCertificate, seed: app.seed, expiresAt: expiresAt),
            status: .created)
    }

    /// Makes a store's key, and reads what verifies its signatures.
    private func signing(
        _ request: OpenStoreRequest, _ context: CallContext
    ) async throws -> (NewAppKey, VerificationFacts) {
        let made = try await services.call(SigningEndpoints.openStore, request, context: context)
        let facts = try await services.call(
            SigningEndpoints.verification, AppRequest(bundleId: request.to), context: context)
        return (made, facts)
    }

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
            state: state == IsolatedStore.State.open.rawValue && expiresAt > now ? .open : .removing, seed: app.seed,
            createdAt: createdAt, expiresAt: expiresAt)
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

    /// The lifetime without `ttl`.
    static let usualLifetime = Duration.seconds(3600)
    /// The longest lifetime.
    static let lifetimeMax = Duration.seconds(7 * 24 * 3600)

    /// - Throws: `requestInvalid` that names the member.
    fileprivate func validate(_ place: String) throws(StoreError) {
        if let clock { try ClockInstants.check(clock, at: "\(place)clock") }
        if let seed, !IsolatedApp.seeds.contains(seed) {
            throw .invalid("\(place)seed", "must be 0 to \(IsolatedApp.seeds.upperBound)")
        }
    }

    /// Returns how long the store lasts.
    /// - Throws: `requestInvalid`.
    fileprivate func lifetime(_ place: String) throws(StoreError) -> Duration {
        guard let ttl else { return Self.usualLifetime }
        let units: [UInt8: Int] = [
            UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 24 * 3600,
        ]
        guard let unit = ttl.utf8.last.flatMap({ units[$0] }), let count = Int32(Substring(ttl.utf8.dropLast())),
            count > 0, .seconds(Int(count) * unit) <= Self.lifetimeMax
        else { throw .invalid("\(place)ttl", "must be a time of at most seven days, such as 90s, 10m, 36h or 7d") }
        return .seconds(Int(count) * unit)
    }
}

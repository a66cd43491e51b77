import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which the operator makes, lists and deletes isolated stores.
struct IsolatedStoreArea: Area {
    let stores: IsolatedStores
    let services: ServiceCaller
    /// The gateway's address as clients reach it.
    let address: PublicAddress

    var routes: [Route] {
        [
            Route(IsolatedStoreRoutes.create) { try await makeStore($0) },
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

    /// Makes a store: a number, the catalogue's copy and a frozen clock, then its key, with which it is open.
    private func makeStore(_ call: Call) async throws -> Reply<IsolatedStoreResponse> {
        let request = try await call.body(of: IsolatedStoreRoutes.create)
        let lifetime = try request.lifetime()
        try request.validate()
        let base = request.from.bundleId
        let expiresAt = stores.now() + lifetime
        let app = try await stores.begin(
            base, seed: request.seed ?? Int64.random(in: IsolatedApp.seeds), until: expiresAt)
        let made: NewAppKey
        let facts: VerificationFacts
        do {
            async let copied = services.call(
                CatalogEndpoints.copyApp, CopyAppRequest(from: base, to: app.bundleId), for: call)
            async let clock = services.call(
                SubscriptionEndpoints.putClock,
                PutClockRequest(bundleId: app.bundleId, rate: nil, now: request.clock, frozen: true), for: call)
            _ = try await (copied, clock)
            made = try await services.call(
                SigningEndpoints.openStore,
                OpenStoreRequest(from: base, to: app.bundleId, expiresAt: expiresAt), for: call)
            facts = try await services.call(
                SigningEndpoints.verification, AppRequest(bundleId: app.bundleId), for: call)
        } catch let error as StoreError {
            _ = try? await stores.close(app.store)
            guard error.code == .notFound else { throw error }
            throw StoreError(.notFound, "there is no app \(base); import a catalogue for it first")
        }
        guard try await stores.open(app) else {
            _ = try await stores.close(app.store)
            throw StoreError(
                .notFound,
                "app \(base) is being deleted, and the new store with it; import the app again when GET /admin/v1/apps "
                    + "no longer lists it under 'deleting', and repeat the request")
        }
        return try Reply(
            IsolatedStoreResponse(
                store: app.store, url: address.current + IsolatedStoreRoutes.pathPrefix + app.store,
                bundleId: base, issuerId: facts.issuerId, keyId: made.key.keyIdentifier, privateKey: made.secret,
                rootCertificate: facts.rootCertificate, seed: app.seed,
                expiresAt: expiresAt),
            status: .created)
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
    /// The lifetime without `ttl`.
    static let usualLifetime = Duration.seconds(3600)
    /// The longest lifetime.
    static let lifetimeMax = Duration.seconds(7 * 24 * 3600)

    /// - Throws: `requestInvalid` that names the member.
    fileprivate func validate() throws(StoreError) {
        try Identifier.check(from.bundleId, as: .bundle, at: "$.from.bundleId")
        if let clock { try ClockInstants.check(clock, at: "$.clock") }
        if let seed, !IsolatedApp.seeds.contains(seed) {
            throw .invalid("$.seed", "must be 0 to \(IsolatedApp.seeds.upperBound)")
        }
    }

    /// Returns how long the store lasts.
    /// - Throws: `requestInvalid`.
    fileprivate func lifetime() throws(StoreError) -> Duration {
        guard let ttl else { return Self.usualLifetime }
        let units: [UInt8: Int] = [
            UInt8(ascii: "s"): 1, UInt8(ascii: "m"): 60, UInt8(ascii: "h"): 3600, UInt8(ascii: "d"): 24 * 3600,
        ]
        guard let unit = ttl.utf8.last.flatMap({ units[$0] }), let count = Int32(Substring(ttl.utf8.dropLast())),
            count > 0, .seconds(Int(count) * unit) <= Self.lifetimeMax
        else { throw .invalid("$.ttl", "must be a time of at most seven days, such as 90s, 10m, 36h or 7d") }
        return .seconds(Int(count) * unit)
    }
}

import BusService
import EventLoop
import StoreModels

/// Which apps exist, what their testers do by default and which keys their catalogues bring: a session for a misspelt
/// bundle identifier would be a session with nothing in it. Catalog is asked each time, by one request for all that ask
/// at the same time.
final class AppDirectory: Sendable {
    /// How many apps are remembered for when Catalog is away; at the bound everything is forgotten.
    static let rememberedMax = 10_000

    private let requests: SharedRequest<ExactText, App>
    private let lastKnown = Locked<[ExactText: App]>([:])

    init(services: ServiceCaller) {
        let ask = services.function(CatalogEndpoints.getApp)
        requests = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await ask(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// - Throws: as ``app(_:_:)``. With Catalog away an app it has not seen yet is let through: nothing can be bought in
    ///   it until Catalog is back.
    func check(_ bundleId: String, _ call: Call) async throws(StoreError) {
        _ = try await app(bundleId, call)
    }

    /// - Returns: What the `settings` of the app's catalogue say; nil when they say nothing.
    /// - Throws: as ``check(_:_:)``.
    func testerDefaults(of bundleId: String, _ call: Call) async throws(StoreError) -> TesterSettings? {
        try await app(bundleId, call)?.testerDefaults
    }

    /// The app as it is; with Catalog away as it last was, and nil when it was never seen.
    /// - Throws: `notFound` when Catalog says so.
    func app(_ bundleId: String, _ call: Call) async throws(StoreError) -> App? {
        do {
            let app = try await requests.ask(ExactText(bundleId), until: call.optionalDeadline)
            remember(app)
            return app
        } catch  where error.meansAway {
            return lastKnown.withLock { $0[bundleId] }
        } catch  where error.code == .notFound {
            throw StoreError(.notFound, "there is no app \(bundleId); import a catalogue for it first")
        }
    }

    private func remember(_ app: App) {
        lastKnown.withLock { apps in
            if apps.count >= Self.rememberedMax, apps[app.bundleId] == nil { apps.removeAll() }
            apps[app.bundleId] = app
        }
    }
}

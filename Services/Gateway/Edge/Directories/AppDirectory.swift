import BusService
import StoreModels

/// Looks up apps in Catalog, with their testers' defaults and the keys of their catalogues. Catalog is asked each time,
/// but simultaneous callers share one request. A session for a misspelt bundle identifier is thus rejected.
package final class AppDirectory: Sendable {
    /// Maximum number of apps remembered for when Catalog is away. At the bound all are dropped.
    static let rememberedMax = 10_000

    private let requests: SharedRequest<ExactText, App>
    private let apps = ExpiringCache<ExactText, App>(max: rememberedMax, freshFor: .zero)

    init(services: ServiceCaller) {
        let ask = services.function(CatalogEndpoints.getApp)
        requests = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await ask(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// Checks that the app exists. While Catalog is away an unseen app is accepted: nothing can be bought in it until
    /// Catalog is back.
    /// - Throws: As ``app(_:_:)``.
    package func check(_ bundleId: String, _ call: Call) async throws(StoreError) {
        _ = try await app(bundleId, call)
    }

    /// Returns the testers' defaults from the catalogue's `settings`. Nil when it has none, and for an unseen app while
    /// Catalog is away.
    /// - Throws: As ``app(_:_:)``.
    package func testerDefaults(of bundleId: String, _ call: Call) async throws(StoreError) -> TesterSettings? {
        try await app(bundleId, call)?.testerDefaults
    }

    /// Returns the app's current data. While Catalog is away it is the last known, and nil for an unseen app.
    /// - Throws: `notFound` when Catalog says so.
    package func app(_ bundleId: String, _ call: Call) async throws(StoreError) -> App? {
        let key = ExactText(bundleId)
        do {
            return try await apps.value(for: key) { () async throws(StoreError) in
                try await requests.ask(key, until: call.optionalDeadline)
            }
        } catch  where error.meansAway {
            return apps.last(key)
        } catch  where error.code == .notFound {
            // It may have been deleted, and is then unknown while Catalog is away, too.
            apps.remove(key)
            throw StoreError(.notFound, "there is no app \(bundleId); import a catalogue for it first")
        }
    }
}

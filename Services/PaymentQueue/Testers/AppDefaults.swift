import BusService
import StoreModels

/// Keeps the tester defaults of each app as Catalog has them now.
///
/// While Catalog is away the last reply is used. Before the first one an app has no defaults. Purchases do not use this
/// cache: they take the defaults of their quote.
final class AppDefaults: Sendable {
    /// Timeout of the request to Catalog.
    static let requestTimeout: Duration = .seconds(1)
    /// Maximum number of cached apps. When it is reached, the cache is emptied.
    static let appsMax = 1_000

    private let apps = ExpiringCache<ExactText, App>(max: appsMax, freshFor: .zero)
    private let requests: SharedRequest<ExactText, App>

    init(
        fetch: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    ) {
        requests = SharedRequest(timeout: Self.requestTimeout) { (bundleId, deadline) async throws(StoreError) in
            try await fetch(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// Asks Catalog for an app's defaults.
    /// - Parameter deadline: The caller's deadline.
    /// - Returns: Nil for an app without defaults, and while Catalog is away before its first reply.
    func of(_ bundleId: String, until deadline: ContinuousClock.Instant) async -> TesterSettings? {
        let key = ExactText(bundleId)
        let app = try? await apps.value(for: key) { () async throws(StoreError) in
            try await requests.ask(key, until: deadline)
        }
        return (app ?? apps.last(key))?.testerDefaults
    }
}

import BusService
import StoreModels

/// The tester defaults of each app, as Catalog has them now.
///
/// While Catalog is away the last answer is used; before the first one there are no defaults. Purchases do not use this
/// cache: they take the defaults of their quote.
final class AppDefaults: Sendable {
    /// Timeout of the request to Catalog.
    static let answerTime: Duration = .seconds(1)
    /// Maximum number of cached apps; when it is reached, the cache is emptied.
    static let appsMax = 1_000

    private let apps = ExpiringCache<ExactText, App>(max: appsMax, freshFor: .zero)
    private let requests: SharedRequest<ExactText, App>

    init(
        fetch: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    ) {
        requests = SharedRequest(patience: Self.answerTime) { (bundleId, deadline) async throws(StoreError) in
            try await fetch(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// - Parameter deadline: The caller's deadline.
    func of(_ bundleId: String, until deadline: ContinuousClock.Instant) async -> TesterSettings? {
        let key = ExactText(bundleId)
        let app = try? await apps.value(for: key) { () async throws(StoreError) in
            try await requests.ask(key, until: deadline)
        }
        return (app ?? apps.last(key))?.testerDefaults
    }
}

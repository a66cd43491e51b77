import BusService
import StoreModels
import Synchronization

/// What testers of an app do unless set otherwise, as Catalog says it now.
///
/// While Catalog is away the last answer stands; before the first one there are no defaults. Nothing that costs money
/// asks here: a purchase takes the defaults of its own quote.
final class AppDefaults: Sendable {
    /// Timeout of the request to Catalog.
    static let answerTime: Duration = .seconds(1)
    /// Apps kept; when there are more, all go.
    static let appsMax = 1_000

    private let known = Mutex<[ExactText: TesterSettings?]>([:])
    private let requests: SharedRequest<ExactText, App>

    init(
        fetch: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    ) {
        requests = SharedRequest(patience: Self.answerTime) { (bundleId, deadline) async throws(StoreError) in
            try await fetch(AppRequest(bundleId: bundleId.text), deadline)
        }
    }

    /// - Parameter deadline: of the caller.
    func of(_ bundleId: String, until deadline: ContinuousClock.Instant) async -> TesterSettings? {
        guard let app = try? await requests.ask(ExactText(bundleId), until: deadline) else {
            return known.withLock { $0[bundleId] ?? nil }
        }
        known.withLock { known in
            if known.count >= Self.appsMax { known.removeAll() }
            known[ExactText(bundleId)] = .some(app.testerDefaults)
        }
        return app.testerDefaults
    }
}

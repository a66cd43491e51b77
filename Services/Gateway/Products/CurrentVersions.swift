import BusService
import StoreModels

/// Asks Catalog for the versions of apps, and PaymentQueue for that of the testers' settings. Cached data of the same
/// version is valid. Simultaneous requests of clients share one request for each, sent after they arrived, so that an
/// operator's change is visible once it is acknowledged, through any gateway (ADR 0021).
struct CurrentVersions: Sendable {
    private enum Testers: Hashable { case all }

    private let apps: SharedRequest<ExactText, AppVersion>
    private let settings: SharedRequest<Testers, TestersVersion>

    init(services: ServiceCaller) {
        let (app, testers) = (
            services.function(CatalogEndpoints.appVersion), services.function(PaymentEndpoints.testersVersion)
        )
        apps = SharedRequest { (bundleId, deadline) async throws(StoreError) in
            try await app(AppRequest(bundleId: bundleId.text), deadline)
        }
        settings = SharedRequest { (_, deadline) async throws(StoreError) in try await testers(Empty(), deadline) }
    }

    /// - Throws: `serviceUnavailable` and the like without Catalog.
    func app(_ bundleId: String, until deadline: ContinuousClock.Instant) async throws(StoreError) -> AppVersion {
        try await apps.ask(ExactText(bundleId), until: deadline)
    }

    /// - Throws: `serviceUnavailable` and the like without PaymentQueue.
    func testers(until deadline: ContinuousClock.Instant) async throws(StoreError) -> TestersVersion {
        try await settings.ask(.all, until: deadline)
    }
}

import BusService
import StoreModels

/// Reads the versions of apps from Catalog, and of the testers' settings from PaymentQueue. Cached data of the same
/// version is valid. Simultaneous client requests share one request for each, sent after they arrived, so that an
/// operator's change is visible once it is acknowledged, through any gateway (ADR 0021).
package struct CurrentVersions: Sendable {
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

    /// Returns the version of an app.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` without Catalog.
    package func app(_ bundleId: String, until deadline: ContinuousClock.Instant) async throws(StoreError) -> AppVersion
    {
        try await apps.ask(ExactText(bundleId), until: deadline)
    }

    /// Returns the version of the testers' settings.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` without PaymentQueue.
    package func testers(until deadline: ContinuousClock.Instant) async throws(StoreError) -> TestersVersion {
        try await settings.ask(.all, until: deadline)
    }
}

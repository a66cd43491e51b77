import BusClient
import BusService
import ServiceLifecycle
import StoreModels

/// The versions of apps and of the testers' settings in force. Cached data of the same version is valid.
///
/// They come from leases, and so without a request. An operator's change is answered when the leases from before it are
/// over, so that it is visible once it is acknowledged, through any gateway (ADR 0072).
package struct CurrentVersions: Sendable {
    /// The only key of the testers' settings.
    private static let allTesters = ExactText("")

    private let apps: VersionLeases<AppVersion>
    private let settings: VersionLeases<TestersVersion>

    init(bus: any BusClient, services: ServiceCaller) {
        let (app, testers) = (
            services.function(CatalogEndpoints.leaseApp), services.function(PaymentEndpoints.leaseTesters)
        )
        apps = VersionLeases(of: .catalog, on: bus) { (bundleId, holder, deadline) async throws(StoreError) in
            try await app(AppLeaseRequest(bundleId: bundleId.text, holder: holder), deadline)
        }
        settings = VersionLeases(of: .paymentQueue, on: bus) { (_, holder, deadline) async throws(StoreError) in
            try await testers(TestersLeaseRequest(holder: holder), deadline)
        }
    }

    /// The services that receive recalls of leases. They run in parallel with the server.
    package var recalls: [any ServiceLifecycle.Service] { [apps.recalls(), settings.recalls()] }

    /// Returns the version of an app.
    /// - Throws: `serviceUnavailable` or `deadlineExceeded` without Catalog.
    package func app(_ bundleId: String, until deadline: ContinuousClock.Instant) async throws(StoreError) -> AppVersion
    {
        try await apps.version(of: ExactText(bundleId), until: deadline)
    }

    /// Returns the versions that a reply about an account depends on. Nil for an owner that is away.
    func ofAccounts(
        in bundleId: String, until deadline: ContinuousClock.Instant
    ) async -> (app: AppVersion?, testers: TestersVersion?) {
        let key = ExactText(bundleId)
        // Without a task where both are on leases, as under load.
        if let app = apps.held(key), let testers = settings.held(Self.allTesters) { return (app, testers) }
        async let testers = try? settings.version(of: Self.allTesters, until: deadline)
        let app = try? await apps.version(of: key, until: deadline)
        return (app, await testers)
    }
}

import BusClient
import BusService
import Logging
import StoreHTTP
import StoreModels

/// Apps, accounts, storefronts, versions, keys and trust, as the gateway finds them in the services.
package struct Directories: Sendable {
    package let apps: AppDirectory
    package let accounts: AccountDirectory
    package let storefronts: StorefrontDirectory
    package let versions: CurrentVersions
    package let keys: KeyDirectory
    package let trust: TrustDirectory

    /// The alpha-3 country code used when the request names no storefront.
    package static let defaultStorefront = "USA"

    /// Makes directories that have asked for nothing yet.
    package init(bus: any BusClient, services: ServiceCaller, logger: Logger) {
        let versions = CurrentVersions(bus: bus, services: services)
        self.apps = AppDirectory(services: services)
        self.accounts = AccountDirectory(services: services, versions: versions, logger: logger)
        self.storefronts = StorefrontDirectory(services: services, from: CatalogEndpoints.listStorefronts)
        self.versions = versions
        self.keys = KeyDirectory(services: services)
        self.trust = TrustDirectory(services: services)
    }

    /// Returns the app that the path names.
    /// - Throws: `notFound` for an app without a catalogue.
    package func existingApp(_ call: Call) async throws(StoreError) -> String {
        let bundleId = try call.bundleId()
        try await apps.check(bundleId, call)
        return bundleId
    }

    /// Returns the storefront that `?storefront=` names, or nil.
    /// - Throws: `requestInvalid` for an unknown one.
    package func namedStorefront(_ call: Call) async throws(StoreError) -> String? {
        guard let code = try call.query.single("storefront") else { return nil }
        return try await storefronts.find(code, at: "query storefront", call.context()).countryCode
    }
}

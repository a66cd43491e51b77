import StoreHTTP
import StoreModels

/// Requests about devices, the apps on them, and their overrides.
extension StoreAPI {
    private static func values(_ installation: InstallationReference) -> [PathParameter: String] {
        [.deviceId: installation.deviceId, .bundleId: installation.bundleId]
    }

    /// `GET /admin/v1/devices`: all of them.
    func devices() async throws(CLIError) -> [Device] {
        let pages = try await pages(\DevicesPage.after) { after throws(CLIError) in
            try await call(DeviceRoutes.list, query: ["after": after, "limit": "100"])
        }
        return pages.flatMap(\.devices)
    }

    /// `GET /admin/v1/devices/{deviceId}`
    func device(_ device: String) async throws(CLIError) -> Device {
        try await call(DeviceRoutes.get, [.deviceId: device])
    }

    /// Reads a device; nil for an unknown one.
    func knownDevice(_ device: String) async throws(CLIError) -> Device? {
        do {
            return try await self.device(device)
        } catch  where error.code.name == StoreErrorCode.notFound.name {
            return nil
        }
    }

    /// `PUT /admin/v1/devices/{deviceId}`
    func putDevice(
        _ device: String, platform: DeviceLaunch.Platform, osVersion: String
    ) async throws(CLIError) -> Device {
        try await call(
            DeviceRoutes.put, [.deviceId: device],
            body: DeviceSetting(platform: platform, osVersion: osVersion))
    }

    /// `DELETE /admin/v1/devices/{deviceId}`
    func deleteDevice(_ device: String) async throws(CLIError) {
        try await call(DeviceRoutes.delete, [.deviceId: device])
    }

    /// `PUT /admin/v1/devices/{deviceId}/apps/{bundleId}`
    /// - Parameter promotedPurchases: Nil keeps the current value.
    func install(
        _ installation: InstallationReference, version: String,
        promotedPurchases: DeviceLaunch.PromotedPurchases?
    ) async throws(CLIError) -> Device {
        try await call(
            DeviceRoutes.install, Self.values(installation),
            body: InstallationSetting(version: version, promotedPurchases: promotedPurchases))
    }

    /// `DELETE /admin/v1/devices/{deviceId}/apps/{bundleId}`
    func uninstall(_ installation: InstallationReference) async throws(CLIError) {
        try await call(DeviceRoutes.uninstall, Self.values(installation))
    }

    /// `PUT …/promotions/order`; empty clears.
    func putOrder(
        _ products: [String], on installation: InstallationReference
    ) async throws(CLIError) {
        let body = NewOrder(productIdentifiers: products)
        _ = try await exchange(request(PromotionRoutes.putDeviceOrder, Self.values(installation)).with(body))
    }

    /// `PUT …/promotions/visibility/{productIdentifier}`; `default` removes the override.
    func putVisibility(
        _ visibility: StorePromotionVisibility, of product: String, on installation: InstallationReference
    ) async throws(CLIError) {
        var values = Self.values(installation)
        values[.productIdentifier] = product
        let body = NewVisibility(visibility: visibility)
        _ = try await exchange(request(PromotionRoutes.putDeviceVisibility, values).with(body))
    }

    /// `POST /v1/sessions` of the App Store app: nothing is launched.
    func openStoreSession(
        _ installation: Installation, on profile: DeviceProfile
    ) async throws(CLIError) -> SessionResponse {
        try await call(SessionRoutes.open, body: installation.storeSessionRequest(on: profile))
    }
}

/// The device and app of a session. The store keeps the values of the last session, so the command line
/// repeats them; only a new device gets the defaults.
struct DeviceProfile: Hashable, Sendable {
    var platform: DeviceLaunch.Platform = .iOS
    var osVersion: String = "18.0"
    var appVersion: String = "1.0"
    var promotedPurchases: DeviceLaunch.PromotedPurchases = .delegate

    /// Reads the values of an installation; a new app has its current version.
    ///
    /// Without the admin key, and while the store's services are away, it has the defaults.
    static func known(_ installation: Installation, _ api: StoreAPI) async -> DeviceProfile {
        var profile = DeviceProfile()
        guard api.adminKey != nil else { return profile }
        let device = try? await api.device(installation.deviceId)
        if let device {
            profile.platform = device.platform
            profile.osVersion = device.osVersion
        }
        if let app = device?.apps.first(where: { $0.bundleId.isExactly(installation.bundleId) }) {
            profile.appVersion = app.version
            profile.promotedPurchases = app.promotedPurchases ?? profile.promotedPurchases
        } else if let app = try? await api.app(installation.bundleId) {
            profile.appVersion = app.settings.currentVersion
        }
        return profile
    }
}

import StoreModels

/// What a session says of the device it runs on and of the app there. The store remembers what it was told last, so the
/// command line says again what is known, and only a new device is what it makes of it.
struct DeviceProfile: Hashable, Sendable {
    var platform: DeviceLaunch.Platform = .iOS
    var osVersion: String = "18.0"
    var appVersion: String = "1.0"
    var promotedPurchases: DeviceLaunch.PromotedPurchases = .delegate

    /// A telephone with an app that handles promoted purchases.
    /// What the store knows of an installation; an app that was never there comes in its present version.
    ///
    /// Somebody without the admin key is told nothing, and a store whose services are away neither: sessions are opened
    /// all the same.
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

import StoreHTTP
import StoreModels

/// The app the command line acts as: one bundle on one device, for one account.
struct Installation: Hashable, Sendable {
    var bundleId: String
    var account: String
    var deviceId: String
    /// Applies to a new account only.
    var storefront: String?

    /// - Parameter deviceId: `<account>-1` by default.
    init(bundleId: String, account: String, deviceId: String? = nil, storefront: String? = nil) {
        self.bundleId = bundleId
        self.account = account
        self.deviceId = deviceId ?? "\(account)-1"
        self.storefront = storefront
    }

    /// The request for a session of the launched app.
    func sessionRequest(on profile: DeviceProfile = DeviceProfile()) -> SessionRequest {
        var request = request(.app, profile)
        request.appVersion = profile.appVersion
        request.promotedPurchases = profile.promotedPurchases
        return request
    }

    /// The request for a session of the App Store app.
    func storeSessionRequest(on profile: DeviceProfile = DeviceProfile()) -> SessionRequest { request(.store, profile) }

    private func request(_ client: SessionRequest.Client, _ profile: DeviceProfile) -> SessionRequest {
        SessionRequest(
            client: client, bundleId: bundleId, deviceId: deviceId, account: account, platform: profile.platform,
            osVersion: profile.osVersion, storefront: storefront)
    }

    /// `--device …`, unless it is the default.
    var deviceOption: ShellCommand { deviceId.isExactly("\(account)-1") ? "" : "--device \(deviceId)" }

    /// Name of the file of its session. Nil if the names are too long.
    var fileName: String? {
        let name = [bundleId, account, deviceId].map(PercentEncoding.encode).joined(separator: "@") + ".json"
        return name.utf8.count <= 255 ? name : nil
    }

    /// Whether a file has a session of an app on a device, of any account.
    /// - Parameters:
    ///   - bundleId: Nil for any app.
    ///   - deviceId: Nil for any device.
    static func isFile(_ name: String, of bundleId: String?, on deviceId: String?) -> Bool {
        (deviceId.map { name.hasSuffix("@\(PercentEncoding.encode($0)).json") } ?? true)
            && bundleId.map { name.hasPrefix("\(PercentEncoding.encode($0))@") } ?? true
    }
}

/// The device and app of a session. The store keeps the values of the last session, so the command line repeats them.
/// Only a new device gets the defaults.
struct DeviceProfile: Hashable, Sendable {
    var platform: DeviceLaunch.Platform = .iOS
    var osVersion: String = "18.0"
    var appVersion: String = "1.0"
    var promotedPurchases: DeviceLaunch.PromotedPurchases = .delegate
    /// Whether the store does not know the device. False without an answer.
    var isNew = false

    /// Reads the values of an installation. A new app has its current version.
    ///
    /// Without the admin key, and while the store's services are away, it has the defaults.
    static func known(_ installation: Installation, _ api: StoreAPI) async -> DeviceProfile {
        var profile = DeviceProfile()
        guard api.adminKey != nil else { return profile }
        let found = await Result.of { () throws(CLIError) in try await api.knownDevice(installation.deviceId) }
        let device = try? found.get()
        profile.isNew = if case .success(.none) = found { true } else { false }
        if let device {
            profile.platform = device.platform
            profile.osVersion = device.osVersion
        }
        if let app = device?.apps.first(where: { $0.bundleId.isExactly(installation.bundleId) }) {
            profile.appVersion = app.version
            profile.promotedPurchases = app.promotedPurchases ?? profile.promotedPurchases
        } else if let app = try? await api.call(AppRoutes.get, [.bundleId: installation.bundleId]) {
            profile.appVersion = app.settings.currentVersion
        }
        return profile
    }
}

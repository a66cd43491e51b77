import StoreModels

/// The app whose part the command line plays: one bundle, on one device, for one account.
struct Installation: Hashable, Sendable {
    var bundleId: String
    var account: String
    var deviceId: String
    /// Counts only for an account that is not there yet.
    var storefront: String?

    /// - Parameter deviceId: `<account>-1` unless named.
    init(bundleId: String, account: String, deviceId: String? = nil, storefront: String? = nil) {
        self.bundleId = bundleId
        self.account = account
        self.deviceId = deviceId ?? "\(account)-1"
        self.storefront = storefront
    }

    /// The app is launched.
    func sessionRequest(on profile: DeviceProfile) -> [String: JSONValue] {
        var members = request("app", profile)
        members["appVersion"] = .string(profile.appVersion)
        members["promotedPurchases"] = .string(profile.promotedPurchases.rawValue)
        return members
    }

    /// The App Store app is opened.
    func storeSessionRequest(on profile: DeviceProfile) -> [String: JSONValue] { request("store", profile) }

    private func request(_ client: String, _ profile: DeviceProfile) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "client": .string(client), "bundleId": .string(bundleId), "deviceId": .string(deviceId),
            "account": .string(account), "platform": .string(profile.platform.rawValue),
            "osVersion": .string(profile.osVersion),
        ]
        if let storefront { members["storefront"] = .string(storefront) }
        return members
    }

    var reference: InstallationReference { InstallationReference(bundleId: bundleId, deviceId: deviceId) }

    /// The file that keeps its session; nil when the names are too long for one.
    var fileName: String? {
        let name = [bundleId, account, deviceId].map(PercentEncoding.encode).joined(separator: "@") + ".json"
        return name.utf8.count <= 255 ? name : nil
    }

    /// Whether a file keeps a session of anybody's on a device.
    /// - Parameter bundleId: nil for any app.
    static func isFile(_ name: String, of bundleId: String?, on deviceId: String) -> Bool {
        name.hasSuffix("@\(PercentEncoding.encode(deviceId)).json")
            && bundleId.map { name.hasPrefix("\(PercentEncoding.encode($0))@") } ?? true
    }
}

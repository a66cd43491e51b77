import StoreModels

/// The app whose part the command line plays: one bundle, on one device, for one account.
package struct Installation: Hashable, Sendable {
    package var bundleId: String
    package var account: String
    package var deviceId: String
    /// Counts only for an account that is not there yet.
    package var storefront: String?

    /// - Parameter deviceId: `<account>-1` unless named.
    package init(bundleId: String, account: String, deviceId: String? = nil, storefront: String? = nil) {
        self.bundleId = bundleId
        self.account = account
        self.deviceId = deviceId ?? "\(account)-1"
        self.storefront = storefront
    }

    var sessionRequest: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "client": "app", "bundleId": .string(bundleId), "deviceId": .string(deviceId), "account": .string(account),
            "platform": "iOS", "osVersion": "18.0", "appVersion": "1.0",
        ]
        if let storefront { members["storefront"] = .string(storefront) }
        return members
    }

    /// The file that keeps its session; nil when the names are too long for one.
    var fileName: String? {
        let name = [bundleId, account, deviceId].map(PercentEncoding.encode).joined(separator: "@") + ".json"
        return name.utf8.count <= 255 ? name : nil
    }
}

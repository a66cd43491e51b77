internal import StoreHTTP
internal import StoreModels

extension SessionRequest {
    /// The launch of the app on its device.
    init(_ connection: StoreConnection, _ handler: DeviceLaunch.PromotedPurchases) {
        self.init(
            bundleId: connection.bundleId, deviceId: connection.deviceId, account: connection.account,
            platform: DeviceLaunch.Platform(rawValue: connection.platform.rawValue) ?? .other,
            osVersion: connection.osVersion,
            appVersion: connection.appVersion, storefront: connection.storefront, promotedPurchases: handler)
    }
}

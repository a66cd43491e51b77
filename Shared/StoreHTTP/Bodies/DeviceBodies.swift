import StoreModels

/// The body of `PUT /admin/v1/devices/{deviceId}`: `{"platform":"iOS","osVersion":"17.4"}`.
package struct DeviceSetting: Hashable, Sendable, Codable {
    /// The platform that the operator states. A later session of the device replaces it.
    package var platform: DeviceLaunch.Platform
    /// Integers with dots between them, `17.4`.
    package var osVersion: String
}

/// The body of `PUT /admin/v1/devices/{deviceId}/apps/{bundleId}`, which installs a version of an app without launching
/// it: `{"version":"2.0","promotedPurchases":"delegate"}`.
package struct InstallationSetting: Hashable, Sendable, Codable {
    /// Integers with dots between them, `2.0`.
    package var version: String
    /// Left out, the present value stays.
    package var promotedPurchases: DeviceLaunch.PromotedPurchases?
}

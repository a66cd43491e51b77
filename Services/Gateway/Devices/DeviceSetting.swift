import StoreModels

/// The body of `PUT /admin/v1/devices/{deviceId}`: `{"platform":"iOS","osVersion":"17.4"}`.
struct DeviceSetting: Decodable {
    var platform: DeviceLaunch.Platform
    var osVersion: String

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) { try DottedVersion.check(osVersion, at: "$.osVersion") }
}

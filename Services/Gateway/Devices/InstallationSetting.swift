import StoreModels

/// The body of `PUT /admin/v1/devices/{deviceId}/apps/{bundleId}`, which installs a version of an app without launching
/// it: `{"version":"2.0","promotedPurchases":"delegate"}`. Without `promotedPurchases` the current value stays.
struct InstallationSetting: Decodable {
    var version: String
    var promotedPurchases: DeviceLaunch.PromotedPurchases?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) { try DottedVersion.check(version, at: "$.version") }
}

extension DottedVersion {
    /// - Throws: `requestInvalid` for text that is not a version.
    static func check(_ text: String, at place: String) throws(StoreError) {
        guard DottedVersion(text) == nil else { return }
        throw .invalid(place, "must be integers with dots between them, such as 17.4")
    }
}

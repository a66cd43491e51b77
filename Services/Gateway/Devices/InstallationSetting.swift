import StoreHTTP
import StoreModels

extension InstallationSetting {
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

import StoreHTTP
import StoreModels

extension DeviceSetting {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) { try DottedVersion.check(osVersion, at: "$.osVersion") }
}

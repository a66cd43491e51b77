import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// The operator's routes for devices and the apps on them.
    var deviceRoutes: [Route] {
        [
            forward(DeviceRoutes.list, to: PromotionEndpoints.listDevices) { try $0.page() },
            forward(DeviceRoutes.get, to: PromotionEndpoints.getDevice) { try $0.device() },
            // A known device keeps its apps.
            forward(DeviceRoutes.put, to: PromotionEndpoints.putDevice) { call, body in
                PutDeviceRequest(try call.device(), platform: body.platform, osVersion: body.osVersion)
            },
            // Its apps and overrides go too (M96), and open intents are cancelled. An unknown device is no error.
            forward(DeviceRoutes.delete, to: PromotionEndpoints.deleteDevice) { try $0.device() },
            // The app is installed or upgraded, not launched.
            forward(DeviceRoutes.install, to: PromotionEndpoints.putInstallation) { [self] call, body in
                let installation = try call.installation()
                try await apps.check(installation.bundleId, call)
                return PutInstallationRequest(
                    bundleId: installation.bundleId, deviceId: installation.deviceId, version: body.version,
                    promotedPurchases: body.promotedPurchases)
            },
            // Removes its overrides too (M96). Its pending intents wait for the app's next first launch.
            forward(DeviceRoutes.uninstall, to: PromotionEndpoints.deleteInstallation) { try $0.installation() },
        ]
    }
}

extension Call {
    /// The device the path names.
    /// - Throws: `notFound`.
    fileprivate func device() throws(StoreError) -> ScopedIdentifier { try scoped(.deviceId, of: "device") }

    /// The app on the device the path names.
    /// - Throws: `notFound`, `requestInvalid`.
    func installation() throws(StoreError) -> InstallationReference {
        InstallationReference(bundleId: try bundleId(), deviceId: try device().id)
    }
}

extension DeviceSetting: CheckedBody {
    package func validate() throws(StoreError) { try DottedVersion.check(osVersion, at: "$.osVersion") }
}

extension InstallationSetting: CheckedBody {
    package func validate() throws(StoreError) { try DottedVersion.check(version, at: "$.version") }
}

extension DottedVersion {
    /// - Throws: `requestInvalid` for text that is not a version.
    static func check(_ text: String, at path: String) throws(StoreError) {
        guard DottedVersion(text) == nil else { return }
        throw .invalid(path, "must be integers with dots between them, such as 17.4")
    }
}

import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The operator's routes for devices and the apps on them.
struct DeviceArea: Area {
    let services: ServiceCaller
    let apps: AppDirectory

    var routes: [Route] {
        [
            services.forward(DeviceRoutes.list, to: PromotionEndpoints.listDevices) { try $0.page() },
            services.forward(DeviceRoutes.get, to: PromotionEndpoints.getDevice) { try $0.device() },
            // A known device keeps its apps.
            services.forward(DeviceRoutes.put, to: PromotionEndpoints.putDevice) { call, body in
                PutDeviceRequest(try call.device(), platform: body.platform, osVersion: body.osVersion)
            },
            // Its apps and overrides go too (M96), and open intents are cancelled. An unknown device is no error.
            services.forward(DeviceRoutes.delete, to: PromotionEndpoints.deleteDevice) { try $0.device() },
            // The app is installed or upgraded, not launched.
            services.forward(DeviceRoutes.install, to: PromotionEndpoints.putInstallation) { call, body in
                let installation = try call.installation()
                try await apps.check(installation.bundleId, call)
                return PutInstallationRequest(
                    bundleId: installation.bundleId, deviceId: installation.deviceId, version: body.version,
                    promotedPurchases: body.promotedPurchases)
            },
            // Removes its overrides too (M96). Its pending intents wait for the app's next first launch.
            services.forward(DeviceRoutes.uninstall, to: PromotionEndpoints.deleteInstallation) {
                try $0.installation()
            },
        ]
    }
}

extension Call {
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
    fileprivate static func check(_ text: String, at path: String) throws(StoreError) {
        guard DottedVersion(text) == nil else { return }
        throw .invalid(path, "must be integers with dots between them, such as 17.4")
    }
}

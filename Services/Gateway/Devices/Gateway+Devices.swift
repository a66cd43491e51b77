import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// The operator's routes for devices and the apps on them.
    var deviceRoutes: [Route] {
        [
            Route(DeviceRoutes.list) { [self] in try await devices($0) },
            Route(DeviceRoutes.get) { [self] in try await device($0) },
            Route(DeviceRoutes.put) { [self] in try await putDevice($0) },
            Route(DeviceRoutes.delete) { [self] in try await deleteDevice($0) },
            Route(DeviceRoutes.install) { [self] in try await install($0) },
            Route(DeviceRoutes.uninstall) { [self] in try await uninstall($0) },
        ]
    }

    private func devices(_ call: Call) async throws -> DevicesPage {
        try await services.call(PromotionEndpoints.listDevices, try call.page(), context: call.context())
    }

    private func device(_ call: Call) async throws -> Device {
        try await services.call(PromotionEndpoints.getDevice, try call.device(), context: call.context())
    }

    /// Creates the device, or changes a known one, which keeps its apps.
    private func putDevice(_ call: Call) async throws -> Device {
        let device = try call.device()
        let body = try await call.body(of: DeviceRoutes.put)
        try body.validate()
        let request = PutDeviceRequest(device, platform: body.platform, osVersion: body.osVersion)
        return try await services.call(PromotionEndpoints.putDevice, request, context: call.context())
    }

    /// Deletes a device with its apps and their overrides (M96), and cancels its open intents. An unknown device is
    /// no error.
    private func deleteDevice(_ call: Call) async throws -> Reply<NoContent> {
        _ = try await services.call(PromotionEndpoints.deleteDevice, try call.device(), context: call.context())
        return .noContent
    }

    /// Installs or upgrades an app without launching it.
    private func install(_ call: Call) async throws -> Device {
        let installation = try call.installation()
        let body = try await call.body(of: DeviceRoutes.install)
        try body.validate()
        try await apps.check(installation.bundleId, call)
        let request = PutInstallationRequest(
            bundleId: installation.bundleId, deviceId: installation.deviceId, version: body.version,
            promotedPurchases: body.promotedPurchases)
        return try await services.call(PromotionEndpoints.putInstallation, request, context: call.context())
    }

    /// Removes an app with its overrides (M96). Its pending intents wait for the app's next first launch.
    private func uninstall(_ call: Call) async throws -> Reply<NoContent> {
        let installation = try call.installation()
        _ = try await services.call(PromotionEndpoints.deleteInstallation, installation, context: call.context())
        return .noContent
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

extension DeviceSetting {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) { try DottedVersion.check(osVersion, at: "$.osVersion") }
}

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

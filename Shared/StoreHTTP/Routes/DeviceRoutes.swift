import StoreModels

/// Devices and the apps on them.
package enum DeviceRoutes {
    /// Lists the devices with their apps.
    package static let list = HTTPEndpoint<Empty, DevicesPage>(
        "listDevices", .get, "/admin/v1/devices", .admin,
        parameters: .adminPage)
    /// Reads one device with its apps.
    package static let get = HTTPEndpoint<Empty, Device>(
        "getDevice", .get, "/admin/v1/devices/{deviceId}", .admin,
        errors: [.deviceNotFound])
    /// Creates or changes a device, and keeps its apps.
    package static let put = HTTPEndpoint<DeviceSetting, Device>(
        "putDevice", .put, "/admin/v1/devices/{deviceId}", .admin,
        responses: [
            .ok(links: [
                Link("get", to: "getDevice", ["deviceId": "$response.body#/deviceId"], "The same"),
                Link("delete", to: "deleteDevice", ["deviceId": "$response.body#/deviceId"], "Deletes it"),
            ])
        ], errors: [.deviceNotFound])
    /// Deletes a device with its apps and their overrides, and cancels its open intents.
    ///
    /// A device that does not exist is not an error.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        "deleteDevice", .delete, "/admin/v1/devices/{deviceId}", .admin,
        errors: [.deviceNotFound])
    /// Installs or upgrades an app without launching it.
    package static let install = HTTPEndpoint<InstallationSetting, Device>(
        "installApp", .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin,
        responses: [
            .ok(links: [
                Link("get", to: "getDevice", ["deviceId": "$response.body#/deviceId"], "The same"),
                Link("delete", to: "deleteDevice", ["deviceId": "$response.body#/deviceId"], "Deletes it"),
            ])
        ], errors: [.deviceNotFound, .promotionUnsupported])
    /// Deletes an app from a device, with its overrides. Purchases wait for its next first launch.
    package static let uninstall = HTTPEndpoint<Empty, NoContent>(
        "deleteApp", .delete, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin,
        errors: [.deviceNotFound])
}

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

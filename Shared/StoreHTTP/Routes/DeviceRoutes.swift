import StoreModels

/// Devices and the apps on them.
package enum DeviceRoutes {
    /// Lists the devices with their apps.
    package static let list = HTTPEndpoint<Empty, DevicesPage>(
        .get, "/admin/v1/devices", .admin, query: .page)
    /// Reads one device with its apps.
    package static let get = HTTPEndpoint<Empty, Device>(
        .get, "/admin/v1/devices/{deviceId}", .admin)
    /// Creates or changes a device; its apps stay.
    package static let put = HTTPEndpoint<DeviceSetting, Device>(
        .put, "/admin/v1/devices/{deviceId}", .admin)
    /// Deletes a device with its apps; open intents are cancelled.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/devices/{deviceId}", .admin)
    /// Installs or upgrades an app without launching it.
    package static let install = HTTPEndpoint<InstallationSetting, Device>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)
    /// Deletes an app from a device, with its overrides.
    package static let uninstall = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)

    static let all: [HTTPRoute] = [
        list.route, get.route, put.route, delete.route, install.route, uninstall.route,
    ]
}

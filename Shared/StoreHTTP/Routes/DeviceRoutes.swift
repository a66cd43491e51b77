import StoreModels

/// Devices and the apps on them.
package enum DeviceRoutes {
    package static let list = HTTPEndpoint<Empty, DevicesPage>(
        .get, "/admin/v1/devices", .admin, query: .page)
    package static let get = HTTPEndpoint<Empty, Device>(
        .get, "/admin/v1/devices/{deviceId}", .admin)
    package static let put = HTTPEndpoint<DeviceSetting, Device>(
        .put, "/admin/v1/devices/{deviceId}", .admin)
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/devices/{deviceId}", .admin)
    package static let install = HTTPEndpoint<InstallationSetting, Device>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)
    package static let uninstall = HTTPEndpoint<Empty, NoContent>(
        .delete, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)

    static let all: [HTTPRoute] = [
        list.route, get.route, put.route, delete.route, install.route, uninstall.route,
    ]
}

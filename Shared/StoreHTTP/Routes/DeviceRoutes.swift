/// Devices and the apps on them.
package enum DeviceRoutes {
    package static let list = HTTPRoute(.get, "/admin/v1/devices", .admin, query: .page)
    package static let get = HTTPRoute(.get, "/admin/v1/devices/{deviceId}", .admin)
    package static let put = HTTPRoute(.put, "/admin/v1/devices/{deviceId}", .admin)
    package static let delete = HTTPRoute(.delete, "/admin/v1/devices/{deviceId}", .admin)
    package static let install = HTTPRoute(.put, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)
    package static let uninstall = HTTPRoute(.delete, "/admin/v1/devices/{deviceId}/apps/{bundleId}", .admin)

    static let all: [HTTPRoute] = [list, get, put, delete, install, uninstall]
}

/// Promoted products: the operator's list, and the overrides of one device.
package enum PromotionRoutes {
    package static let order = HTTPRoute(.get, "/v1/promotions/order", .app)
    package static let putOrder = HTTPRoute(.put, "/v1/promotions/order", .app)
    package static let visibility = HTTPRoute(.get, "/v1/promotions/visibility/{productIdentifier}", .app)
    package static let putVisibility = HTTPRoute(.put, "/v1/promotions/visibility/{productIdentifier}", .app)
    package static let putDeviceOrder = HTTPRoute(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/order", .admin)
    package static let putDeviceVisibility = HTTPRoute(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}", .admin)
    package static let setup = HTTPRoute(.get, "/admin/v1/apps/{bundleId}/promotions", .admin)
    package static let putSetup = HTTPRoute(.put, "/admin/v1/apps/{bundleId}/promotions", .admin)
    package static let featured = HTTPRoute(.get, "/admin/v1/featured", .admin)
    package static let putFeatured = HTTPRoute(.put, "/admin/v1/featured", .admin)
    /// The URL as text, or as a QR code in SVG.
    package static let testURL = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/test-url", .admin, query: ["format"])

    static let all: [HTTPRoute] = [
        order, putOrder, visibility, putVisibility, putDeviceOrder, putDeviceVisibility, setup, putSetup,
        featured, putFeatured, testURL,
    ]
}

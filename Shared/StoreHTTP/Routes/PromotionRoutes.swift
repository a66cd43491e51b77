import StoreModels

/// Promoted products: the operator's list, and the overrides of one device.
package enum PromotionRoutes {
    /// Reads the order that the session's device has set.
    package static let order = HTTPEndpoint<Empty, OrderResponse<Product>>(
        .get, "/v1/promotions/order", .app)
    /// Replaces the order of the session's device; needs a former launch.
    package static let putOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        .put, "/v1/promotions/order", .app)
    /// Reads the session's device's override for one product.
    package static let visibility = HTTPEndpoint<Empty, VisibilityResponse<Product>>(
        .get, "/v1/promotions/visibility/{productIdentifier}", .app)
    /// Shows or hides one product on the session's device.
    package static let putVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        .put, "/v1/promotions/visibility/{productIdentifier}", .app)
    /// Replaces any device's order, for the operator.
    package static let putDeviceOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/order", .admin)
    /// Shows or hides one product on any device, for the operator.
    package static let putDeviceVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}", .admin)
    /// Reads the operator's list, with the reasons that hide products.
    package static let setup = HTTPEndpoint<Empty, PromotionSetup>(
        .get, "/admin/v1/apps/{bundleId}/promotions", .admin)
    /// Replaces order and default visibility of at most 20 products.
    package static let putSetup = HTTPEndpoint<[PromotionEntry], PromotionSetup>(
        .put, "/admin/v1/apps/{bundleId}/promotions", .admin)
    /// Reads the featured tab of all apps.
    package static let featured = HTTPEndpoint<Empty, FeaturedList>(
        .get, "/admin/v1/featured", .admin)
    /// Replaces the featured tab; at most 100 products.
    package static let putFeatured = HTTPEndpoint<[ProductReference], FeaturedList>(
        .put, "/admin/v1/featured", .admin)
    /// The URL as text, or as a QR code in SVG.
    package static let testURL = HTTPEndpoint<Empty, RawBody>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/test-url", .admin, query: ["format"])

    static let all: [HTTPRoute] = [
        order.route, putOrder.route, visibility.route, putVisibility.route, putDeviceOrder.route,
        putDeviceVisibility.route, setup.route, putSetup.route, featured.route, putFeatured.route,
        testURL.route,
    ]
}

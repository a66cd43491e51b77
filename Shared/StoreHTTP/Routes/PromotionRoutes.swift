import StoreModels

/// Promoted products: the operator's list, and the overrides of one device.
package enum PromotionRoutes {
    package static let order = HTTPEndpoint<Empty, OrderResponse<Product>>(
        .get, "/v1/promotions/order", .app)
    package static let putOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        .put, "/v1/promotions/order", .app)
    package static let visibility = HTTPEndpoint<Empty, VisibilityResponse<Product>>(
        .get, "/v1/promotions/visibility/{productIdentifier}", .app)
    package static let putVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        .put, "/v1/promotions/visibility/{productIdentifier}", .app)
    package static let putDeviceOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/order", .admin)
    package static let putDeviceVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}", .admin)
    package static let setup = HTTPEndpoint<Empty, PromotionSetup>(
        .get, "/admin/v1/apps/{bundleId}/promotions", .admin)
    package static let putSetup = HTTPEndpoint<[PromotionEntry], PromotionSetup>(
        .put, "/admin/v1/apps/{bundleId}/promotions", .admin)
    package static let featured = HTTPEndpoint<Empty, FeaturedList>(
        .get, "/admin/v1/featured", .admin)
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

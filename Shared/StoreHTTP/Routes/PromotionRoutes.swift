import StoreModels

/// Promoted products: the operator's list, and the overrides of one device.
package enum PromotionRoutes {
    /// Reads the order that the session's device has set.
    ///
    /// It is empty until the device sets one.
    package static let order = HTTPEndpoint<Empty, OrderResponse<Product>>(
        "getPromotionOrder", .get, "/v1/promotions/order", .app,
        errors: [.overridesRefused])
    /// Replaces the order of the session's device. It needs a former launch.
    ///
    /// These products come first on the page, the others follow in the operator's order. The order is this device's
    /// only.
    package static let putOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        "putPromotionOrder", .put, "/v1/promotions/order", .app,
        errors: [.productNotFound, .overridesRefused])
    /// Reads the session's device's override for one product.
    package static let visibility = HTTPEndpoint<Empty, VisibilityResponse<Product>>(
        "getPromotionVisibility", .get, "/v1/promotions/visibility/{productIdentifier}", .app,
        errors: [.productNotFound, .overridesRefused])
    /// Shows or hides one product on the session's device.
    ///
    /// `default` removes the override.
    package static let putVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        "putPromotionVisibility", .put, "/v1/promotions/visibility/{productIdentifier}", .app,
        errors: [.productNotFound, .overridesRefused])
    /// Replaces any device's order, for the operator.
    package static let putDeviceOrder = HTTPEndpoint<NewOrder, OrderResponse<Product>>(
        "putDeviceOrder", .put, "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/order", .admin,
        errors: [.productNotFound, .overridesRefused])
    /// Shows or hides one product on any device, for the operator.
    package static let putDeviceVisibility = HTTPEndpoint<NewVisibility, VisibilityResponse<Product>>(
        "putDeviceVisibility", .put,
        "/admin/v1/devices/{deviceId}/apps/{bundleId}/promotions/visibility/{productIdentifier}", .admin,
        errors: [.productNotFound, .overridesRefused])
    /// Reads the operator's list, with the reasons that hide products.
    package static let setup = HTTPEndpoint<Empty, PromotionSetup>(
        "getPromotions", .get, "/admin/v1/apps/{bundleId}/promotions", .admin)
    /// Replaces order and default visibility of at most 20 products.
    package static let putSetup = HTTPEndpoint<[PromotionEntry], PromotionSetup>(
        "putPromotions", .put, "/admin/v1/apps/{bundleId}/promotions", .admin,
        content: .narrowed(["maxItems": .value(.integer(PutPromotionsRequest.entriesMax))]),
        errors: [.productNotFound])
    /// Reads the featured tab of all apps.
    package static let featured = HTTPEndpoint<Empty, FeaturedList>(
        "getFeaturedList", .get, "/admin/v1/featured", .admin)
    /// Replaces the featured tab with at most 100 products.
    package static let putFeatured = HTTPEndpoint<[ProductReference], FeaturedList>(
        "putFeatured", .put, "/admin/v1/featured", .admin,
        content: .narrowed(["maxItems": .value(.integer(FeaturedList.productsMax))]),
        errors: [.productNotFound])
    /// Reads the URL that starts a promoted purchase, as text or as a QR code in SVG.
    ///
    /// Products that are not for sale yet have one, too.
    package static let testURL = HTTPEndpoint<Empty, RawBody>(
        "getTestURL", .get, "/admin/v1/apps/{bundleId}/products/{id}/test-url", .admin,
        parameters: [.testURLFormat], responses: [.ok("The URL, or its QR code.", .testURL)], errors: [.productNotFound]
    )
}

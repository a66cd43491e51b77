import StoreModels

/// The App Store app on a device.
package enum StorePageRoutes {
    /// Lists the promoted products in the device's order.
    package static let page = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/store-page", .appOrStore)
    /// Searches the store by words; finds promoted products only.
    package static let search = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/search", .appOrStore, query: ["q"])
    /// Lists the featured tab's products, of all apps.
    package static let featured = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/featured", .appOrStore)
    /// Taps Buy on a promoted product.
    package static let purchase = HTTPEndpoint<StorePurchase, StartPurchaseReply>(
        .post, "/v1/store-page/purchase", .appOrStore, idempotencyKey: .optional, urgency: .purchase)
    /// Opens a test URL on the session's device.
    package static let openURL = HTTPEndpoint<URLToOpen, StartPurchaseReply>(
        .post, "/v1/open-url", .appOrStore, idempotencyKey: .optional)

    static let all: [HTTPRoute] = [
        page.route, search.route, featured.route, purchase.route, openURL.route,
    ]
}

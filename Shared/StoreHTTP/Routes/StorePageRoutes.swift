import StoreModels

/// The App Store app on a device.
package enum StorePageRoutes {
    package static let page = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/store-page", .appOrStore)
    package static let search = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/search", .appOrStore, query: ["q"])
    package static let featured = HTTPEndpoint<Empty, StorePageResponse<Promotion>>(
        .get, "/v1/featured", .appOrStore)
    package static let purchase = HTTPEndpoint<StorePurchase, StartPurchaseReply>(
        .post, "/v1/store-page/purchase", .appOrStore, idempotencyKey: .optional)
    package static let openURL = HTTPEndpoint<URLToOpen, StartPurchaseReply>(
        .post, "/v1/open-url", .appOrStore, idempotencyKey: .optional)

    static let all: [HTTPRoute] = [
        page.route, search.route, featured.route, purchase.route, openURL.route,
    ]
}

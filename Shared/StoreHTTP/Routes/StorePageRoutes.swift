/// The App Store app on a device.
package enum StorePageRoutes {
    package static let page = HTTPRoute(.get, "/v1/store-page", .appOrStore)
    package static let search = HTTPRoute(.get, "/v1/search", .appOrStore, query: ["q"])
    package static let featured = HTTPRoute(.get, "/v1/featured", .appOrStore)
    package static let purchase = HTTPRoute(.post, "/v1/store-page/purchase", .appOrStore, idempotencyKey: .optional)
    package static let openURL = HTTPRoute(.post, "/v1/open-url", .appOrStore, idempotencyKey: .optional)

    static let all: [HTTPRoute] = [page, search, featured, purchase, openURL]
}

/// Apps, their catalogues and products.
package enum AppRoutes {
    package static let list = HTTPRoute(.get, "/admin/v1/apps", .admin, query: .page)
    package static let get = HTTPRoute(.get, "/admin/v1/apps/{bundleId}", .admin)
    package static let put = HTTPRoute(.put, "/admin/v1/apps/{bundleId}", .admin)
    /// The catalogue file in force.
    package static let exportCatalog = HTTPRoute(.get, "/admin/v1/apps/{bundleId}/catalog", .admin)
    package static let importCatalog = HTTPRoute(
        .put, "/admin/v1/apps/{bundleId}/catalog", .admin, query: ["fileName", "dryRun"])
    package static let products = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products", .admin, query: ["storefront", "after", "limit"])
    package static let prices = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/prices", .admin, query: ["storefronts"])
    package static let explain = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/explain", .admin, query: ["storefront"])
    package static let offers = HTTPRoute(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/offers", .admin, query: ["storefront"])
    package static let reset = HTTPRoute(.post, "/admin/v1/apps/{bundleId}/reset", .admin)
    package static let clearHistory = HTTPRoute(
        .delete, "/admin/v1/apps/{bundleId}/transactions", .admin, query: ["account"])
    package static let storefronts = HTTPRoute(.get, "/admin/v1/storefronts", .admin)

    static let all: [HTTPRoute] = [
        list, get, put, exportCatalog, importCatalog, products, prices, explain, offers, reset, clearHistory,
        storefronts,
    ]
}

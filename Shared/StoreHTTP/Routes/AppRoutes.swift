import StoreModels

/// Apps, their catalogues and products.
package enum AppRoutes {
    package static let list = HTTPEndpoint<Empty, AppsPage>(
        .get, "/admin/v1/apps", .admin, query: .page)
    package static let get = HTTPEndpoint<Empty, App>(
        .get, "/admin/v1/apps/{bundleId}", .admin)
    package static let put = HTTPEndpoint<AppSettings, App>(
        .put, "/admin/v1/apps/{bundleId}", .admin)
    /// The catalogue file in force.
    package static let exportCatalog = HTTPEndpoint<Empty, RawBody>(
        .get, "/admin/v1/apps/{bundleId}/catalog", .admin)
    package static let importCatalog = HTTPEndpoint<RawBody, ImportReport>(
        .put, "/admin/v1/apps/{bundleId}/catalog", .admin, query: ["fileName", "dryRun"])
    package static let products = HTTPEndpoint<Empty, ProductsPageResponse>(
        .get, "/admin/v1/apps/{bundleId}/products", .admin, query: ["storefront", "after", "limit"])
    package static let prices = HTTPEndpoint<Empty, ProductPrices>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/prices", .admin, query: ["storefronts"])
    package static let explain = HTTPEndpoint<Empty, ProductExplanation>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/explain", .admin, query: ["storefront"])
    package static let offers = HTTPEndpoint<Empty, ProductOffers>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/offers", .admin, query: ["storefront"])
    package static let reset = HTTPEndpoint<Empty, ResetResponse>(
        .post, "/admin/v1/apps/{bundleId}/reset", .admin, isBodyOptional: true)
    package static let clearHistory = HTTPEndpoint<Empty, HistoryResponse>(
        .delete, "/admin/v1/apps/{bundleId}/transactions", .admin, query: ["account"])
    package static let storefronts = HTTPEndpoint<Empty, StorefrontDescriptions>(
        .get, "/admin/v1/storefronts", .admin)

    static let all: [HTTPRoute] = [
        list.route, get.route, put.route, exportCatalog.route, importCatalog.route, products.route,
        prices.route, explain.route, offers.route, reset.route, clearHistory.route, storefronts.route,
    ]
}

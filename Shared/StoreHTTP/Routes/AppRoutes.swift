import StoreModels

/// Apps, their catalogues and products.
package enum AppRoutes {
    /// Lists the apps by bundle identifier.
    package static let list = HTTPEndpoint<Empty, AppsPage>(
        .get, "/admin/v1/apps", .admin, query: .page)
    /// Reads one app with its settings.
    package static let get = HTTPEndpoint<Empty, App>(
        .get, "/admin/v1/apps/{bundleId}", .admin)
    /// Replaces an app's settings; an unknown app is created.
    package static let put = HTTPEndpoint<AppSettings, App>(
        .put, "/admin/v1/apps/{bundleId}", .admin)
    /// The catalogue file in force.
    package static let exportCatalog = HTTPEndpoint<Empty, RawBody>(
        .get, "/admin/v1/apps/{bundleId}/catalog", .admin)
    /// Imports a whole catalogue file of at most 128 MiB, all or nothing.
    package static let importCatalog = HTTPEndpoint<RawBody, ImportReport>(
        .put, "/admin/v1/apps/{bundleId}/catalog", .admin, query: ["fileName", "dryRun"], body: .streamed)
    /// Lists the products on sale in a storefront.
    package static let products = HTTPEndpoint<Empty, ProductsPageResponse>(
        .get, "/admin/v1/apps/{bundleId}/products", .admin, query: ["storefront", "after", "limit"])
    /// Reads a product's price in several storefronts, or in all.
    package static let prices = HTTPEndpoint<Empty, ProductPrices>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/prices", .admin, query: ["storefronts"])
    /// Explains why a product can or cannot be bought.
    package static let explain = HTTPEndpoint<Empty, ProductExplanation>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/explain", .admin, query: ["storefront"])
    /// Lists all offers of a product, on sale or not.
    package static let offers = HTTPEndpoint<Empty, ProductOffers>(
        .get, "/admin/v1/apps/{bundleId}/products/{id}/offers", .admin, query: ["storefront"])
    /// Deletes an app's purchases and sets its clock to wall time.
    package static let reset = HTTPEndpoint<Empty, ResetResponse>(
        .post, "/admin/v1/apps/{bundleId}/reset", .admin, isBodyOptional: true)
    /// Deletes the purchases of one account, or of all.
    package static let clearHistory = HTTPEndpoint<Empty, HistoryResponse>(
        .delete, "/admin/v1/apps/{bundleId}/transactions", .admin, query: ["account"])
    /// Lists the storefronts with their currencies and languages.
    package static let storefronts = HTTPEndpoint<Empty, StorefrontDescriptions>(
        .get, "/admin/v1/storefronts", .admin)

    static let all: [HTTPRoute] = [
        list.route, get.route, put.route, exportCatalog.route, importCatalog.route, products.route,
        prices.route, explain.route, offers.route, reset.route, clearHistory.route, storefronts.route,
    ]
}

import StoreModels

/// Apps, their catalogues and products.
package enum AppRoutes {
    /// Lists the apps by bundle identifier.
    ///
    /// The first page also has those that are being deleted.
    package static let list = HTTPEndpoint<Empty, AppsPage>(
        "listApps", .get, "/admin/v1/apps", .admin,
        parameters: .adminPage, needs: .storage)
    /// Reads one app with its settings.
    package static let get = HTTPEndpoint<Empty, App>(
        "getApp", .get, "/admin/v1/apps/{bundleId}", .admin,
        responses: [
            .ok(links: [
                Link("products", to: "listCatalogProducts", ["bundleId": "$response.body#/bundleId"], "Its products")
            ])
        ])
    /// Replaces an app's settings, or creates an unknown app.
    package static let put = HTTPEndpoint<AppSettings, App>(
        "putApp", .put, "/admin/v1/apps/{bundleId}", .admin,
        responses: [.ok(links: [Link("get", to: "getApp", ["bundleId": "$response.body#/bundleId"], "The same")])])
    /// Deletes an app with everything of it.
    ///
    /// This is its catalogue, settings and keys, its customers with their purchases, subscriptions and intents, its
    /// notifications and their endpoint, its installations on devices, and the isolated stores made from it. Accounts'
    /// settings and devices stay, because they belong to all apps. Nothing is sold in the app when the response is
    /// there. Then the processor cancels charges in flight, and the services remove the rest. Owed refunds are still
    /// given. Apps are deleted one after another, each in about 40 seconds. Until `GET /admin/v1/apps` no longer lists
    /// the deletion, making an app of the same name is 503. Deleting the app again changes nothing meanwhile, but it is
    /// 503 for a new app while the deletion of its predecessor is ending. A request that got 503 is safe to repeat.
    package static let delete = HTTPEndpoint<Empty, NoContent>(
        "removeApp", .delete, "/admin/v1/apps/{bundleId}", .admin,
        needs: .storage)
    /// Reads the catalogue file in force, byte for byte as it was imported.
    package static let exportCatalog = HTTPEndpoint<Empty, RawBody>(
        "exportCatalog", .get, "/admin/v1/apps/{bundleId}/catalog", .admin,
        responses: [.ok("The file as it was imported.", .json(["type": "object"]), headers: [.catalogVersion])])
    /// Imports a whole catalogue file of at most 128 MiB, all or nothing.
    ///
    /// Without `Content-Length` the file may have at most 8 MiB. An unknown app is created.
    package static let importCatalog = HTTPEndpoint<RawBody, ImportReport>(
        "importCatalog", .put, "/admin/v1/apps/{bundleId}/catalog", .admin,
        parameters: [.fileName, .dryRun], body: .streamed, content: .json("CatalogFile"),
        responses: [
            .ok(
                "The catalogue is in force.",
                links: [
                    Link(
                        "products", to: "listCatalogProducts", ["bundleId": "$response.body#/bundleId"],
                        "The products on sale")
                ])
        ], errors: [.lengthRequired, .catalogInvalid, .tooMany])
    /// Lists the products on sale in a storefront.
    package static let products = HTTPEndpoint<Empty, ProductsPageResponse>(
        "listCatalogProducts", .get, "/admin/v1/apps/{bundleId}/products", .admin,
        parameters: [.storefront, .after, .adminLimit])
    /// Reads a product's price in several storefronts, or in all.
    package static let prices = HTTPEndpoint<Empty, ProductPrices>(
        "listPrices", .get, "/admin/v1/apps/{bundleId}/products/{id}/prices", .admin,
        parameters: [.storefronts])
    /// Explains why a product can or cannot be bought.
    package static let explain = HTTPEndpoint<Empty, ProductExplanation>(
        "explainProduct", .get, "/admin/v1/apps/{bundleId}/products/{id}/explain", .admin,
        parameters: [.storefront])
    /// Lists all offers of a product, on sale or not.
    package static let offers = HTTPEndpoint<Empty, ProductOffers>(
        "listOffers", .get, "/admin/v1/apps/{bundleId}/products/{id}/offers", .admin,
        parameters: [.storefront], errors: [.productNotFound])
    /// Deletes an app's purchases and sets its clock to wall time.
    ///
    /// Catalogue, app settings, testers, sessions, devices and their overrides stay.
    package static let reset = HTTPEndpoint<Empty, ResetResponse>(
        "resetApp", .post, "/admin/v1/apps/{bundleId}/reset", .admin,
        isBodyOptional: true)
    /// Deletes the purchases of one account, or of all.
    ///
    /// Open streams report unfinished transactions as removed. Open purchases that began in the store are cancelled
    /// first. An intent that has paid never pays again, and continuing it is `intentDecided`. Without
    /// PromotionController nothing is cleared (503), and it is safe to send the request again.
    package static let clearHistory = HTTPEndpoint<Empty, HistoryResponse>(
        "clearHistory", .delete, "/admin/v1/apps/{bundleId}/transactions", .admin,
        parameters: [.ofAccount])
    /// Lists the storefronts with their currencies and languages.
    package static let storefronts = HTTPEndpoint<Empty, StorefrontDescriptions>(
        "listStorefronts", .get, "/admin/v1/storefronts", .admin)
}

import StoreModels

extension ProductQueries {
    /// Lists a product's offers, for sale or not. Without a storefront it uses the app's testers', as ``explain(_:)``.
    /// - Throws: `notFound` for an unknown app, `productNotFound`, `requestInvalid` for an unknown storefront.
    func offers(_ request: ProductOffersRequest) throws(StoreError) -> ProductOffers {
        let product = try directory.product(request.productIdentifier, of: request.bundleId)
        guard let snapshot = directory.snapshot(of: request.bundleId) else {
            throw CatalogStore.unknownApp(request.bundleId)
        }
        let entry = try storefronts.entry(request.storefront ?? testersStorefront(snapshot))
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: snapshot.catalog.defaultLocale)
        let shown = presenter.product(product)
        return ProductOffers(
            productIdentifier: product.productIdentifier, storefront: entry.storefront.countryCode,
            introductoryPrice: shown.introductoryPrice, discounts: shown.discounts,
            redeemableOffers: presenter.redeemableOffers(of: product))
    }

    /// Storefront of the app's testers: the catalogue file's, else the United States'.
    func testersStorefront(_ snapshot: AppSnapshot) -> String {
        (snapshot.app.testerDefaults ?? TesterSettings()).over(.standard).storefront ?? "USA"
    }
}

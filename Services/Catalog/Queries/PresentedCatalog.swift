import StoreModels

/// An app's whole catalogue as one storefront shows it, made once and read by every request.
final class PresentedCatalog: Sendable {
    /// In the catalogue's order.
    let products: [Product]
    /// How large each product is on the wire, so that a page is cut before it is too large for the bus.
    let byteCounts: [Int]

    init(_ catalog: Catalog, for entry: StorefrontEntry) throws {
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: catalog.defaultLocale)
        products = catalog.products.map(presenter.product)
        // One more for the comma.
        byteCounts = try products.map { try StoreJSON.encode($0).count + 1 }
    }
}

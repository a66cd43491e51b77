import StoreModels

/// An app with its catalogue in force, in memory. A commit replaces the whole snapshot, so a request sees one version.
final class AppSnapshot: Sendable {
    let app: App
    let index: CatalogIndex
    let contents: StoredContents
    let promotions: StoredPromotions
    /// The positions of products with a promotional image, in catalogue order.
    let illustrated: [Int]

    init(app: App, index: CatalogIndex, contents: StoredContents, promotions: StoredPromotions) {
        self.app = app
        self.index = index
        self.contents = contents
        self.promotions = promotions
        illustrated = promotions.illustrated.compactMap(index.position).sorted()
    }

    var catalog: Catalog { index.catalog }

    /// Returns the product's position in the catalogue, if the app has the product.
    func position(of productIdentifier: String) -> Int? { index.position(of: productIdentifier) }

    func product(_ identifier: String) -> CatalogProduct? { position(of: identifier).map { catalog.products[$0] } }

    /// Returns a similar product identifier, if the app has one. It differs in case, or has a prefix
    /// (`com.example.app.pro.monthly` for `pro.monthly`).
    func similar(to identifier: String) -> String? {
        let wanted = identifier.lowercased()
        return catalog.products.lazy.map(\.productIdentifier).first {
            let candidate = $0.lowercased()
            return candidate == wanted || candidate.hasSuffix(".\(wanted)")
        }
    }

    func products(in entry: StorefrontEntry) -> PresentedCatalog { index.products(in: entry) }
}

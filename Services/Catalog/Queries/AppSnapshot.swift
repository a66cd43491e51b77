import StoreModels
import Synchronization

/// An app with its catalogue in force, in memory. Replaced as a whole by a commit, so a request sees one version from
/// its beginning to its end.
final class AppSnapshot: Sendable {
    /// Storefronts kept ready; another one takes the place of the one that was made first.
    private static let presentedMax = 8

    let app: App
    let catalog: Catalog
    let contents: StoredContents
    private let positions: [ExactText: Int]
    private let presented = Mutex<[(countryCode: String, catalog: PresentedCatalog)]>([])

    init(app: App, catalog: Catalog, contents: StoredContents) {
        self.app = app
        self.catalog = catalog
        self.contents = contents
        positions = Dictionary(
            uniqueKeysWithValues: catalog.products.enumerated().map {
                (ExactText($0.element.productIdentifier), $0.offset)
            })
    }

    /// The product's place in the catalogue; nil when the app has no such product.
    func position(of productIdentifier: String) -> Int? { positions[ExactText(productIdentifier)] }

    func product(_ identifier: String) -> CatalogProduct? { position(of: identifier).map { catalog.products[$0] } }

    /// The product that somebody perhaps meant: spelt in another case, or named without what all identifiers begin
    /// with (`pro.monthly` for `com.example.app.pro.monthly`).
    func similar(to identifier: String) -> String? {
        let wanted = identifier.lowercased()
        return catalog.products.lazy.map(\.productIdentifier).first {
            let candidate = $0.lowercased()
            return candidate == wanted || candidate.hasSuffix(".\(wanted)")
        }
    }

    func products(in entry: StorefrontEntry) -> PresentedCatalog {
        let countryCode = entry.storefront.countryCode
        if let ready = presented.withLock({ $0.first { $0.countryCode == countryCode }?.catalog }) { return ready }
        // Made outside of the lock: two requests may make the same one, which costs a little and harms nothing.
        let made = PresentedCatalog(catalog, for: entry)
        presented.withLock { presented in
            presented.removeAll { $0.countryCode == countryCode }
            if presented.count == Self.presentedMax { presented.removeFirst() }
            presented.append((countryCode, made))
        }
        return made
    }
}

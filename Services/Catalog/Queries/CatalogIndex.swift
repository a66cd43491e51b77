import EventLoop
import StoreModels

/// A catalogue with derived data: positions by identifier, and its products in storefronts. It does not depend on
/// settings, content and promotions.
final class CatalogIndex: Sendable {
    /// Maximum number of cached storefronts. Another one replaces the oldest.
    private static let presentedMax = 8

    let catalog: Catalog
    private let positions: [ExactText: Int]
    private let groups: [ExactText: [String]]
    private let presented = Locked<[(countryCode: String, catalog: PresentedCatalog)]>([])

    init(_ catalog: Catalog) {
        self.catalog = catalog
        positions = Dictionary(
            uniqueKeysWithValues: catalog.products.enumerated().map {
                (ExactText($0.element.productIdentifier), $0.offset)
            })
        groups = Dictionary(
            catalog.products.compactMap { product in
                product.subscription.map { (ExactText($0.groupIdentifier), [product.productIdentifier]) }
            }, uniquingKeysWith: +)
    }

    /// Returns the product's position in the catalogue, if the app has the product.
    func position(of productIdentifier: String) -> Int? { positions[ExactText(productIdentifier)] }

    /// Returns the products of a subscription group, for sale or not, in the catalogue's order.
    func products(ofGroup group: String) -> [String] { groups[ExactText(group)] ?? [] }

    func products(in entry: StorefrontEntry) -> PresentedCatalog {
        let countryCode = entry.storefront.countryCode
        if let ready = presented.withLock({ $0.first { $0.countryCode == countryCode }?.catalog }) { return ready }
        // Created outside of the lock: two requests may create the same one, which is harmless.
        let made = PresentedCatalog(catalog, for: entry)
        presented.withLock { presented in
            presented.removeAll { $0.countryCode == countryCode }
            if presented.count == Self.presentedMax { presented.removeFirst() }
            presented.append((countryCode, made))
        }
        return made
    }
}

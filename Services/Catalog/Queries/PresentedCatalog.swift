import EventLoop
import StoreModels

/// An app's catalogue as one storefront shows it. It is created once and read by every request.
final class PresentedCatalog: Sendable {
    /// In the catalogue's order.
    let products: [Product]
    /// Upper bound of each product's size on the wire. A page is cut before it is too large for the bus.
    let byteCounts: [Int]
    /// The JSON of products already sent, in the same order. Ten thousand products are not encoded because one is asked
    /// for.
    private let texts: Locked<[RawJSON?]>

    init(_ catalog: Catalog, for entry: StorefrontEntry) {
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: catalog.defaultLocale)
        products = catalog.products.map(presenter.product)
        byteCounts = products.map(Self.byteCountMax)
        texts = Locked(Array(repeating: nil, count: products.count))
    }

    /// The product's JSON.
    func json(at position: Int) throws(StoreError) -> RawJSON {
        if let ready = texts.withLock({ $0[position] }) { return ready }
        do {
            let made = try RawJSON(encoding: products[position])
            texts.withLock { $0[position] = made }
            return made
        } catch {
            throw StoreError(.internal, "a product cannot be written as JSON: \(error)")
        }
    }

    /// Upper bound of a product's size. Encoding ten thousand products would take a noticeable time on the bus's loop.
    static func byteCountMax(of product: Product) -> Int {
        let texts = [
            product.productIdentifier, product.localizedTitle, product.localizedDescription,
            product.subscriptionGroupIdentifier ?? "", product.downloadContentVersion,
        ]
        let offers = product.discounts + (product.introductoryPrice.map { [$0] } ?? [])
        return 700 + 20 * product.downloadContentLengths.count + texts.reduce(0) { $0 + JSONSize.most($1) }
            + offers.reduce(0) { $0 + 350 + JSONSize.most($1.identifier ?? "") }
    }
}

/// Size of a text in JSON.
enum JSONSize {
    /// Upper bound of the size. JSON writes quotes and backslashes as two bytes and control characters as up to six.
    static func most(_ text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }
}

import EventLoop
import StoreModels

/// An app's catalogue as one storefront shows it, created once and read by every request.
final class PresentedCatalog: Sendable {
    /// The products in the catalogue's order.
    let products: [Product]
    /// An upper bound of each product's size on the wire. A page is cut before it exceeds a message.
    let byteCounts: [Int]
    /// The JSON of products already sent, in the same order. Encoding all of ten thousand products would delay the
    /// first request.
    private let texts: Locked<[RawJSON?]>

    init(_ catalog: Catalog, for entry: StorefrontEntry) {
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: catalog.defaultLocale)
        products = catalog.products.map(presenter.product)
        byteCounts = products.map(Self.byteCountMax)
        texts = Locked(Array(repeating: nil, count: products.count))
    }

    /// Returns the product's JSON.
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

    /// Returns an upper bound of a product's size, without encoding it.
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

/// The size of a text in JSON.
enum JSONSize {
    /// Returns an upper bound of the size. JSON writes quotes and backslashes as two bytes and control characters as up
    /// to six.
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

import StoreModels

/// An app's whole catalogue as one storefront shows it, made once and read by every request.
final class PresentedCatalog: Sendable {
    /// In the catalogue's order.
    let products: [Product]
    /// At most how large each product is on the wire, so that a page is cut before it is too large for the bus.
    let byteCounts: [Int]

    init(_ catalog: Catalog, for entry: StorefrontEntry) {
        let presenter = StorefrontPresenter(entry: entry, defaultLocale: catalog.defaultLocale)
        products = catalog.products.map(presenter.product)
        byteCounts = products.map(Self.byteCountMax)
    }

    /// An upper bound instead of the size itself, because encoding ten thousand products takes a noticeable while and
    /// this happens on the bus's loop.
    static func byteCountMax(of product: Product) -> Int {
        let texts = [
            product.productIdentifier, product.localizedTitle, product.localizedDescription,
            product.subscriptionGroupIdentifier ?? "", product.downloadContentVersion,
        ]
        let offers = product.discounts + (product.introductoryPrice.map { [$0] } ?? [])
        return 700 + 20 * product.downloadContentLengths.count + texts.reduce(0) { $0 + escapedByteCount($1) }
            + offers.reduce(0) { $0 + 350 + escapedByteCount($1.identifier ?? "") }
    }

    /// JSON writes quotes and backslashes as two bytes and control characters as up to six.
    private static func escapedByteCount(_ text: String) -> Int {
        text.utf8.reduce(0) { count, byte in
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): count + 2
            case ..<0x20: count + 6
            default: count + 1
            }
        }
    }
}

import Foundation
import GatewayEdge
import StoreHTTP
import StoreModels

/// The store's content for an app on one device. Search and featured tab are pages with some of its products, so that a
/// hidden product is hidden in each (M90).
struct StorePage: JSONForm, WrittenForm {
    typealias Body = StorePageResponse<Promotion>

    /// Visible products, in this device's order or in that of the featured tab.
    private var products: [EncodedProduct]
    private let listing: PromotedListing
    private let storeCustomer: StorePageCustomer?
    private let eligibility: EligibilityResults
    private let isOperatorsOrder: Bool

    /// - Parameters:
    ///   - device: The device's overrides. Nil without PromotionController, and then the operator's order applies.
    ///   - isUnsupported: The session's answer for a device that PromotionController does not know, or is not asked
    ///     about.
    ///   - storeCustomer: The customer's purchases. Nil without PaymentQueue, and then ownership is unknown.
    init(
        _ listing: PromotedListing, device: DevicePromotions?, isUnsupported: Bool, storeCustomer: StorePageCustomer?,
        eligibility: EligibilityResults
    ) {
        let showsNothing = device.map { $0.isKnown ? $0.unsupported != nil : isUnsupported } ?? isUnsupported
        products = showsNothing ? [] : listing.products(with: device?.overrides ?? PromotionOverrides())
        self.listing = listing
        self.storeCustomer = storeCustomer
        self.eligibility = eligibility
        isOperatorsOrder = device == nil
    }

    /// The app's featured products that are on the device's page, in the tab's order.
    var featured: StorePage {
        showing(
            listing.featured.compactMap { identifier in
                products.first { $0.productIdentifier.isExactly(identifier) }
            })
    }

    /// Returns the products of the page that match a search, in the page's order.
    func matching(_ words: SearchWords) -> StorePage {
        showing(
            products.filter { product in
                words.match(
                    [
                        product.localizedTitle, product.localizedDescription, product.productIdentifier,
                        listing.appName,
                    ])
            })
    }

    private func showing(_ products: [EncodedProduct]) -> StorePage {
        var page = self
        page.products = products
        return page
    }

    /// Whether the customer owns the product. Nil when it is unknown. Consumables are used up, and the app tracks the
    /// time of non-renewing subscriptions, so neither is ever owned.
    private func owns(_ product: EncodedProduct) -> Bool? {
        guard let storeCustomer else { return nil }
        return product.type.isRestorable ? storeCustomer.owns(product.productIdentifier) : false
    }

    /// Names of the services missing from these products.
    private var degraded: [String] {
        var names = Set(eligibility.degraded(for: products))
        if isOperatorsOrder { names.formUnion([ServiceName.promotionController].compactMap(\.degradedName)) }
        if storeCustomer == nil { names.formUnion([ServiceName.paymentQueue].compactMap(\.degradedName)) }
        return names.sorted()
    }

    func written() throws -> [UInt8] {
        let entries = products.map { (owned: owns($0), product: eligibility.form(of: $0).bytes) }
        var json = JSONPieces(capacity: entries.reduce(64) { $0 + $1.product.count + 32 })
        json.append(#"{"degraded":"#)
        try json.append(degraded)
        json.append(#","promotions":["#)
        for (index, entry) in entries.enumerated() {
            json.append(index == 0 ? #"{"owned":"# : #",{"owned":"#)
            json.append(entry.owned.map { $0 ? "true" : "false" } ?? "null")
            json.append(#","product":"#)
            json.append(entry.product)
            json.append("}")
        }
        json.append("]}")
        return json.bytes
    }

    func encode(to encoder: any Encoder) throws { try RawJSON(written()).encode(to: encoder) }
}

/// The words of a search in the store. A product matches when its texts contain each of them, ignoring case and
/// accents.
struct SearchWords: Sendable {
    /// Maximum length of the search in characters. More is 400.
    static let lengthMax = 200

    private let words: [String]

    /// - Parameter text: The query's value. Nil when it is missing.
    /// - Throws: `requestInvalid` for an empty or too long search.
    init(_ text: String?) throws(StoreError) {
        guard let text else { throw .invalid("query q", "is missing") }
        try Identifier.check(text, at: "query q", lengthMax: Self.lengthMax)
        words = text.split(whereSeparator: \.isWhitespace).map { Self.folded(String($0)) }
        guard !words.isEmpty else { throw .invalid("query q", "must not be empty") }
    }

    func match(_ texts: [String]) -> Bool {
        let folded = texts.map(Self.folded)
        return words.allSatisfy { word in folded.contains { $0.contains(word) } }
    }

    /// Folds case, accents and width, without a locale: results must not depend on the gateway's system.
    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}

import StoreHTTP
import StoreModels

extension StorePurchase {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
    }

    var intentSource: PurchaseIntent.Source {
        switch source ?? .storePage {
        case .storePage: .storePage
        case .search: .search
        case .featured: .featured
        }
    }
}

extension URLToOpen {
    /// Returns the product of one of this app's test URLs, which must match exactly.
    /// - Throws: `urlInvalid` that names the part and the fault.
    func productIdentifier(of bundleId: String) throws(StoreError) -> String {
        do throws(PurchaseIntentURLFault) {
            let url = try PurchaseIntentURL(parsing: url)
            let shown = IsolatedApp.shown(bundleId)
            guard url.bundleId.isExactly(shown) else {
                throw PurchaseIntentURLFault(.bundleId, .wrong, "is '\(url.bundleId)' and must be '\(shown)' here")
            }
            try Self.check(url)
            return url.productIdentifier
        } catch {
            throw error.storeError
        }
    }

    private static func check(_ url: PurchaseIntentURL) throws(PurchaseIntentURLFault) {
        let length = url.productIdentifier.unicodeScalars.count
        guard length <= IdentifierRule.product.lengthMax else {
            throw PurchaseIntentURLFault(
                .productIdentifier, .tooLong, "has more than \(IdentifierRule.product.lengthMax) characters")
        }
    }
}

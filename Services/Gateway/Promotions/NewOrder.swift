import StoreHTTP
import StoreModels

extension NewOrder {
    /// - Throws: `requestInvalid` for too many products, and for one listed twice.
    func validate() throws(StoreError) {
        try Identifier.checkProducts(productIdentifiers, at: "$.productIdentifiers")
        var seen: Set<ExactText> = []
        for (index, product) in productIdentifiers.enumerated() where !seen.insert(product).inserted {
            throw .invalid("$.productIdentifiers[\(index)]", "is listed twice")
        }
    }
}

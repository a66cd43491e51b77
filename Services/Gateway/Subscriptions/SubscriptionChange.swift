import StoreHTTP
import StoreModels

extension SubscriptionChange {
    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

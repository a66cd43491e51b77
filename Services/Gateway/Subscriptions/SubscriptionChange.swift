import StoreModels

/// The body of `PUT /v1/subscriptions/{originalTransactionIdentifier}`; omitted members stay unchanged:
///
/// ```json
/// {"willAutoRenew":true,"autoRenewProductIdentifier":"com.example.pro.yearly"}
/// ```
struct SubscriptionChange: Decodable {
    /// False cancels: the current period is the last.
    var willAutoRenew: Bool?
    /// Product of the next renewal.
    var autoRenewProductIdentifier: String?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

import StoreModels

/// The body of `PUT /v1/subscriptions/{originalTransactionIdentifier}`; what is left out stays:
///
/// ```json
/// {"willAutoRenew":true,"autoRenewProductIdentifier":"com.example.pro.yearly"}
/// ```
struct SubscriptionChange: Decodable {
    /// False cancels: the present period is the last.
    var willAutoRenew: Bool?
    /// What the next renewal buys.
    var autoRenewProductIdentifier: String?

    /// - Throws: `requestInvalid`.
    func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

import StoreModels

/// The body of `POST /v1/payments`:
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","quantity":1,"applicationUsername":"u-17"}
/// ```
/// The idempotency key becomes the payment's `requestIdentifier`.
struct PaymentRequest: Decodable {
    var productIdentifier: String
    /// Defaults to 1, as in `SKPayment`.
    var quantity: NonNull<Quantity>?
    var applicationUsername: String?
    var appAccountToken: String?
    var simulatesAskToBuyInSandbox: Bool?
    var paymentDiscount: DiscountParts?
    var intentIdentifier: String?

    func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
        try paymentDiscount?.validate(at: "$.paymentDiscount")
        if let intentIdentifier { try Identifier.check(intentIdentifier, at: "$.intentIdentifier") }
    }

    func payment(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.value.number ?? 1,
            applicationUsername: applicationUsername, appAccountToken: appAccountToken,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox ?? false, paymentDiscount: paymentDiscount?.discount,
            intentIdentifier: intentIdentifier)
    }
}

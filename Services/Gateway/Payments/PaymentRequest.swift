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
    var quantity: Int?
    var applicationUsername: String?
    var appAccountToken: String?
    var simulatesAskToBuyInSandbox: Bool?
    var paymentDiscount: DiscountParts?
    var intentIdentifier: String?

    /// StoreKit's limits of `SKMutablePayment.quantity`.
    static let quantities = 1...10

    /// Checks the quantity in the undecoded document. A number too large for an integer is still a quantity out of
    /// range. JSON has one kind of number, so `1.0` is 1.
    /// - Throws: `requestInvalid`; 422 for a quantity outside 1…10.
    static func checkQuantity(_ document: JSONValue) throws(StoreError) {
        guard case .number(let text)? = document["quantity"], let number = Double(text) else { return }
        guard number == number.rounded() else { throw .invalid("$.quantity", "must be an integer") }
        guard (Double(quantities.lowerBound)...Double(quantities.upperBound)).contains(number) else {
            throw .invalid("$.quantity", "must be 1 to 10", status: 422)
        }
    }

    /// Checks a payment's quantity. A missing one is 1, as in StoreKit, and null is rejected.
    static func check(_ document: JSONValue) throws(StoreError) {
        if document["quantity"] == .null { throw .invalid("$.quantity", "must be an integer") }
        try checkQuantity(document)
    }

    func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
        try paymentDiscount?.validate(at: "$.paymentDiscount")
        if let intentIdentifier { try Identifier.check(intentIdentifier, at: "$.intentIdentifier") }
    }

    func payment(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.number ?? 1,
            applicationUsername: applicationUsername, appAccountToken: appAccountToken,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox ?? false, paymentDiscount: paymentDiscount?.discount,
            intentIdentifier: intentIdentifier)
    }
}

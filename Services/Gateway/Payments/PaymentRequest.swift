import StoreModels

/// The body of `POST /v1/payments`:
///
/// ```json
/// {"productIdentifier":"com.example.hiddenBeaches","quantity":1,"applicationUsername":"u-17"}
/// ```
/// The idempotency key becomes the payment's `requestIdentifier`.
struct PaymentRequest: Decodable {
    var productIdentifier: String
    var quantity: Int
    var applicationUsername: String?
    var appAccountToken: String?
    var simulatesAskToBuyInSandbox: Bool?
    var paymentDiscount: PaymentDiscount?
    var intentIdentifier: String?

    static let members = MemberNames(
        [
            "productIdentifier", "quantity", "applicationUsername", "appAccountToken", "simulatesAskToBuyInSandbox",
            "paymentDiscount", "intentIdentifier",
        ],
        nested: ["paymentDiscount": MemberNames(["identifier", "keyIdentifier", "nonce", "signature", "timestamp"])])

    /// StoreKit's own bounds of `SKMutablePayment.quantity`.
    static let quantities = 1...10

    /// Checks what decoding cannot, in the document itself: `1.0` would decode as an integer, and a number too large
    /// for one is still a quantity outside the bounds.
    /// - Throws: `requestInvalid`; 422 for a quantity outside 1…10.
    static func checkQuantity(_ document: JSONValue) throws(StoreError) {
        guard case .number(let text)? = document["quantity"] else { return }
        guard text.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }) else {
            throw .invalid("$.quantity", "must be an integer")
        }
        guard let quantity = Int(text), quantities.contains(quantity) else {
            throw .invalid("$.quantity", "must be 1 to 10", status: 422)
        }
    }

    func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, at: "$.productIdentifier")
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
    }

    /// What a later version does. Refused before anything is charged or stored.
    /// - Throws: `notImplemented`.
    func refuseWhatIsNotBuilt() throws(StoreError) {
        if simulatesAskToBuyInSandbox == true {
            throw StoreError(.notImplemented, "ask-to-buy is not simulated yet; nothing was charged")
        }
        if paymentDiscount != nil {
            throw StoreError(.notImplemented, "promotional offers are not sold yet; nothing was charged")
        }
        if intentIdentifier != nil {
            throw StoreError(.notImplemented, "promoted purchases are not continued yet; nothing was charged")
        }
    }

    func payment(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity,
            applicationUsername: applicationUsername, appAccountToken: appAccountToken)
    }
}

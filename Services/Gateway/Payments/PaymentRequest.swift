import StoreHTTP
import StoreModels

extension PaymentRequest {
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

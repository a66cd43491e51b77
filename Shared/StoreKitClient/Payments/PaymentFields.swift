internal import StoreModels

/// What a payment says. The wire's `Payment` without the key, which is made when it is added.
struct PaymentFields: Hashable, Sendable {
    var productIdentifier = ""
    var quantity = 1
    var applicationUsername: String?
    var simulatesAskToBuyInSandbox = false
    var paymentDiscount: SKPaymentDiscount?

    init(productIdentifier: String) { self.productIdentifier = productIdentifier }

    init(_ model: Payment) {
        productIdentifier = model.productIdentifier
        quantity = model.quantity
        applicationUsername = model.applicationUsername
        simulatesAskToBuyInSandbox = model.simulatesAskToBuyInSandbox
        paymentDiscount = model.paymentDiscount.map(SKPaymentDiscount.init)
    }

    func model(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity,
            applicationUsername: applicationUsername, simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
            paymentDiscount: paymentDiscount?.model)
    }
}

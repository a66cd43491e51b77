internal import StoreModels

/// The values of a payment. Its key is made when the payment is added.
struct PaymentFields: Hashable, Sendable {
    var productIdentifier = ""
    var quantity = 1
    var applicationUsername: String?
    var simulatesAskToBuyInSandbox = false
    var paymentDiscount: SKPaymentDiscount?
    /// Reserved by StoreKit: a payment with data is refused.
    var requestData: Data?
    /// The purchase intent that this payment continues (M81). The app does not see it.
    var intentIdentifier: String?

    init(productIdentifier: String) { self.productIdentifier = productIdentifier }

    /// Copies the properties of an app's payment, which a subclass may have overridden.
    init(_ payment: SKPayment) {
        self = payment.fields
        productIdentifier = payment.productIdentifier
        quantity = payment.quantity
        applicationUsername = payment.applicationUsername.nonEmpty
        simulatesAskToBuyInSandbox = payment.simulatesAskToBuyInSandbox
        paymentDiscount = payment.paymentDiscount
        requestData = payment.requestData
    }

    /// Copies a transaction's payment without its intent: adding it again is a new purchase.
    init(_ model: Payment) {
        productIdentifier = model.productIdentifier
        quantity = model.quantity
        applicationUsername = model.applicationUsername
        simulatesAskToBuyInSandbox = model.simulatesAskToBuyInSandbox
        paymentDiscount = model.paymentDiscount.map { SKPaymentDiscount($0) }
    }

    /// Copies the payment of a purchase intent, which adding it continues.
    init(promoted intent: StorePurchaseIntent) {
        self.init(intent.payment)
        intentIdentifier = intent.intentIdentifier
    }

    /// The values that the app can read.
    var visible: PaymentFields {
        var fields = self
        fields.intentIdentifier = nil
        return fields
    }

    func model(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity,
            applicationUsername: applicationUsername, simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox,
            paymentDiscount: paymentDiscount?.wire, intentIdentifier: intentIdentifier)
    }
}

extension String? {
    /// The string, or nil for an empty one: many StoreKit wrappers pass an empty name for none.
    var nonEmpty: String? { self?.isEmpty == true ? nil : self }
}

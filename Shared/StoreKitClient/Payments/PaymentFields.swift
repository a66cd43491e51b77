import Foundation
internal import StoreModels

/// What a payment says. The wire's `Payment` without the key, which is made when it is added.
struct PaymentFields: Hashable, Sendable {
    var productIdentifier = ""
    var quantity = 1
    var applicationUsername: String?
    var simulatesAskToBuyInSandbox = false
    var paymentDiscount: SKPaymentDiscount?
    /// Reserved by StoreKit: a payment that has any is refused.
    var requestData: Data?
    /// The purchase that began in the store and that adding this payment continues (M81). The app does not see it.
    var intentIdentifier: String?

    init(productIdentifier: String) { self.productIdentifier = productIdentifier }

    /// Of a payment an app adds, read from its properties, which a subclass may have overridden.
    init(_ payment: SKPayment) {
        self = payment.fields
        productIdentifier = payment.productIdentifier
        quantity = payment.quantity
        applicationUsername = payment.applicationUsername.nonEmpty
        simulatesAskToBuyInSandbox = payment.simulatesAskToBuyInSandbox
        paymentDiscount = payment.paymentDiscount
        requestData = payment.requestData
    }

    /// The fields of a transaction's payment. The transaction has continued any purchase that began in the store:
    /// adding the payment again is a new purchase.
    init(_ model: Payment) {
        productIdentifier = model.productIdentifier
        quantity = model.quantity
        applicationUsername = model.applicationUsername
        simulatesAskToBuyInSandbox = model.simulatesAskToBuyInSandbox
        paymentDiscount = model.paymentDiscount.map { SKPaymentDiscount($0) }
    }

    /// Of a purchase that began in the store.
    init(promoted intent: StoreModels.PurchaseIntent) {
        self.init(intent.payment)
        intentIdentifier = intent.intentIdentifier
    }

    /// What the app sees.
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
    /// StoreKit's default in many wrappers is the empty name, which means none.
    var nonEmpty: String? { self?.isEmpty == true ? nil : self }
}

import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The route by which an app adds payments.
struct PaymentArea: Area {
    let discounts: DiscountChecker
    let sender: PaymentSender
    let intents: IntentArea

    var routes: [Route] { [Route(PaymentRoutes.add) { try await addPayment($0) }] }

    /// Adds a payment to the queue. One key is one charge, however often the request is sent.
    private func addPayment(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let key = try IdempotencyKey.read(call.request.headers)
        let request = try await call.body(of: PaymentRoutes.add)
        let session = call.session
        let check = try await discounts.check(request, in: session.bundleId, call)
        guard request.intentIdentifier == nil else {
            return try await intents.addSaved(request.payment(key: key), check, call)
        }
        return try await sender.add(
            AddPaymentRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                payment: request.payment(key: key), discountCheck: check),
            call)
    }
}

extension PaymentRequest: CheckedBody {
    package func validate() throws(StoreError) {
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

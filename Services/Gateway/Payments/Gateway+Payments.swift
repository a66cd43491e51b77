import BusClient
import BusService
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var paymentRoutes: [Route] {
        [
            Route(PaymentRoutes.add) { [self] in try await addPayment($0) },
            Route(PaymentRoutes.addOutside) { [self] in try await buyOutside($0) },
        ]
    }

    /// Adds a payment to the queue. One key is one charge, however often the request is sent.
    private func addPayment(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let key = try IdempotencyKey.read(call.request.headers)
        let request = try await call.body(of: PaymentRoutes.add)
        let session = call.session
        let check = try await discountCheck(of: request, in: session.bundleId, call)
        guard request.intentIdentifier == nil else {
            return try await addSaved(request.payment(key: key), check, call)
        }
        return try await add(
            AddPaymentRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                payment: request.payment(key: key), discountCheck: check),
            call)
    }

    /// Buys for an account outside the app. The account's devices get the transaction like any other. A key makes it
    /// safe to repeat, as with a payment. Without one each request is another purchase.
    private func buyOutside(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let key = try IdempotencyKey.readIfPresent(call.request.headers)
        let purchase = try await call.body(of: PaymentRoutes.addOutside)
        let bundleId = try call.bundleId()
        let defaults = try await apps.testerDefaults(of: bundleId, call)
        return try await add(
            try await request(of: purchase, key: key, in: bundleId, defaults: defaults, call.context()), call,
            isRepeatable: key != nil)
    }

    /// Opens the account of a purchase outside the app, and makes the request for its payment.
    private func request(
        of purchase: OutsidePurchase, key: String? = nil, in bundleId: String, defaults: TesterSettings?,
        _ context: CallContext
    ) async throws -> AddPaymentRequest {
        let account = try await services.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: bundleId, account: purchase.account, deviceId: OutsidePurchase.deviceId, defaults: defaults),
            context: context)
        return AddPaymentRequest(
            bundleId: bundleId, customerIdentifier: account.customerIdentifier, deviceId: OutsidePurchase.deviceId,
            payment: purchase.payment(key: key ?? IdempotencyKey.make()), redeemedOffer: purchase.offer)
    }

    /// Buys for an account outside the app, as a step of a trigger.
    /// - Parameter past: How the purchase is dated back.
    func buyOutside(
        _ purchase: OutsidePurchase, past: PastPurchase?, in bundleId: String, defaults: TesterSettings?,
        _ context: CallContext
    ) async throws -> PaymentTransaction {
        var request = try await request(of: purchase, in: bundleId, defaults: defaults, context)
        request.past = past
        return try await payments.call(PaymentEndpoints.addPayment, request, context: context).transaction
    }

    private func add(
        _ request: AddPaymentRequest, _ call: Call, isRepeatable: Bool = true
    ) async throws -> Reply<PaymentTransaction> {
        let reply = try await reply(to: request, call, isRepeatable: isRepeatable)
        var headers: HTTPFields = [:]
        if reply.isReplayed { headers[.idempotentReplayed] = "true" }
        return try Reply(reply.transaction, status: .init(code: reply.status), headers: headers)
    }

    /// Sends the request once. An unknown outcome must reach the client, which repeats the request with the same key.
    ///
    /// - Throws: `serviceUnavailable` when the request was certainly not accepted, `outcomeUnknown` when that is not
    ///   known.
    private func reply(
        to request: AddPaymentRequest, _ call: Call, isRepeatable: Bool
    ) async throws(StoreError) -> AddPaymentReplyOf<Forwarded<PaymentTransaction>> {
        guard bus.state == .connected else {
            throw StoreError(.serviceUnavailable, "the bus is away; nothing was charged", retryAfterMs: 1000)
        }
        return try await payments.call(
            PaymentEndpoints.addPayment(as: Forwarded<PaymentTransaction>.self), request, for: call,
            idempotencyKey: request.payment.requestIdentifier,
            else: UnknownOutcome(
                "the payment was sent and its outcome is not known here", isRepeatable: isRepeatable))
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

extension OutsidePurchase: CheckedBody {
    /// Device identifier of transactions bought outside the app.
    static let deviceId = "app-store"

    package func validate() throws(StoreError) {
        try Identifier.check(account, as: .account, at: "$.account")
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        guard let offer else { return }
        switch offer.type {
        case .introductory:
            guard offer.identifier == nil else {
                throw .invalid("$.offer.identifier", "must be left out for an introductory offer")
            }
        case .code, .winBack:
            guard let identifier = offer.identifier else { throw .invalid("$.offer.identifier", "is missing") }
            try Identifier.check(identifier, at: "$.offer.identifier")
        case .subscription:
            throw .invalid("$.offer.type", "is introductory, code or winBack; a promotional offer is signed and in-app")
        }
    }

    func payment(key: String) -> Payment {
        Payment(requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.number ?? 1)
    }
}

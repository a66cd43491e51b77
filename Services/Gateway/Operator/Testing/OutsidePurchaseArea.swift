import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The route by which the operator buys for an account outside the app.
struct OutsidePurchaseArea: Area {
    let services: ServiceCaller
    let apps: AppDirectory
    let sender: PaymentSender

    var routes: [Route] { [Route(PaymentRoutes.addOutside) { try await buyOutside($0) }] }

    /// Buys for an account outside the app. The account's devices get the transaction like any other. A key makes it
    /// safe to repeat, as with a payment. Without one each request is another purchase.
    private func buyOutside(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let key = try IdempotencyKey.readIfPresent(call.request.headers)
        let purchase = try await call.body(of: PaymentRoutes.addOutside)
        let bundleId = try call.bundleId()
        let defaults = try await apps.testerDefaults(of: bundleId, call)
        return try await sender.add(
            try await request(of: purchase, key: key, in: bundleId, defaults: defaults, call.context()), call,
            isRepeatable: key != nil)
    }

    /// Buys for an account outside the app, as a step of a trigger.
    /// - Parameter past: How the purchase is dated back.
    func buyOutside(
        _ purchase: OutsidePurchase, past: PastPurchase?, in bundleId: String, defaults: TesterSettings?,
        _ context: CallContext
    ) async throws -> PaymentTransaction {
        var request = try await request(of: purchase, in: bundleId, defaults: defaults, context)
        request.past = past
        return try await sender.payments.call(PaymentEndpoints.addPayment, request, context: context).transaction
    }

    /// Opens the account of a purchase outside the app, and makes the request for its payment.
    private func request(
        of purchase: OutsidePurchase, key: String? = nil, in bundleId: String, defaults: TesterSettings?,
        _ context: CallContext
    ) async throws -> AddPaymentRequest {
        let account = try await services.call(
            PaymentEndpoints.openAccount,
            OpenAccountRequest(
                bundleId: bundleId, account: purchase.account, deviceId: PaymentTransaction.outsideDeviceId,
                defaults: defaults),
            context: context)
        return AddPaymentRequest(
            bundleId: bundleId, customerIdentifier: account.customerIdentifier,
            deviceId: PaymentTransaction.outsideDeviceId,
            payment: purchase.payment(key: key ?? IdempotencyKey.make()), redeemedOffer: purchase.offer,
            past: purchase.purchaseDate.map {
                PastPurchase(due: .purchase, at: $0, willAutoRenew: purchase.willAutoRenew)
            })
    }
}

extension OutsidePurchase: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(account, as: .account, at: "$.account")
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
        guard willAutoRenew == nil || purchaseDate != nil else {
            throw .invalid("$.willAutoRenew", "goes with purchaseDate only")
        }
        guard let offer else { return }
        switch offer.type {
        case .introductory:
            guard offer.identifier == nil else {
                throw .invalid("$.offer.identifier", "must be left out for an introductory offer")
            }
        case .code, .winBack, .subscription:
            guard let identifier = offer.identifier else { throw .invalid("$.offer.identifier", "is missing") }
            try Identifier.check(identifier, at: "$.offer.identifier")
        }
    }

    fileprivate func payment(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.number ?? 1,
            appAccountToken: appAccountToken, billingPlanType: billingPlanType)
    }
}

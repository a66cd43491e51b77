import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which an app adds payments.
struct PaymentArea: Area {
    let discounts: DiscountChecker
    let sender: PaymentSender
    let intents: IntentArea
    let services: ServiceCaller

    var routes: [Route] {
        [
            Route(PaymentRoutes.add) { try await addPayment($0) },
            Route(PaymentRoutes.purchase) { try await purchase($0) },
            Route(OfferCodeRoutes.redeem) { try await redeem($0) },
        ]
    }

    /// Adds a payment to the queue. One key is one charge, however often the request is sent.
    private func addPayment(_ call: Call) async throws -> Reply<PaymentTransaction> {
        let request = try await request(call)
        guard request.payment.intentIdentifier == nil else {
            let added = try await intents.addSaved(request, call)
            return try Reply(added.transaction, of: added)
        }
        return try await sender.add(request, call)
    }

    /// Buys as StoreKit 2 does, and answers with the outcome and the signed transaction.
    ///
    /// A purchase that is made and cannot be signed is `outcomeUnknown`: the same key gets the rest.
    private func purchase(_ call: Call) async throws -> Reply<PurchaseResponse> {
        var request = try await request(call)
        request.payment.returnsOutcome = true
        let added =
            request.payment.intentIdentifier == nil
            ? try await sender.reply(to: request, call) : try await intents.addSaved(request, call)
        return try await response(of: added, call)
    }

    /// Redeems an offer code: a purchase of its product with its offer.
    private func redeem(_ call: Call) async throws -> Reply<PurchaseResponse> {
        let key = try IdempotencyKey.read(call.request.headers)
        let body = try await call.body(of: OfferCodeRoutes.redeem)
        let session = call.session
        let code = try await services.call(
            PaymentEndpoints.findOfferCode,
            FindOfferCodeRequest(bundleId: session.bundleId, offerCode: try call.parameter(.code, of: "offer code")),
            for: call)
        var request = AddPaymentRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            payment: Payment(
                requestIdentifier: key, productIdentifier: code.productIdentifier,
                appAccountToken: body.appAccountToken),
            redeemedOffer: RedeemedOffer(type: .code, identifier: code.offer), redeemedCode: code)
        request.payment.returnsOutcome = true
        return try await response(of: try await sender.reply(to: request, call), call)
    }

    /// Makes the response to a payment that returns its outcome.
    private func response(of added: AddPaymentReply, _ call: Call) async throws -> Reply<PurchaseResponse> {
        var response = PurchaseResponse(outcome: .init(added.transaction), transaction: added.transaction)
        if response.outcome == .purchased || response.outcome == .held {
            let outcome = try await signed(added.transaction.id, call)
            // Without an outcome, the transaction that the customer held was deleted since.
            response.outcome = outcome?.isHeld == false ? .purchased : .held
            response.signedTransaction = outcome?.signedTransaction
        }
        return try Reply(response, of: added)
    }

    /// Has the outcome of a payment signed.
    /// - Throws: `outcomeUnknown` while a service is away: what was bought is not known to the client.
    private func signed(_ id: String, _ call: Call) async throws(StoreError) -> SignedChanges.Outcome? {
        let unknown: UnknownOutcome =
            "the purchase has its outcome and cannot be signed now; repeat it with the same key"
        do throws(StoreError) {
            return try await services.call(
                SigningEndpoints.signChanges, SignChangesRequest(of: call.session, ids: [id]), for: call
            ).outcomes.first
        } catch {
            throw error.meansAway || error.leavesOutcomeUnknown ? unknown.error : error
        }
    }

    private func request(_ call: Call) async throws -> AddPaymentRequest {
        let key = try IdempotencyKey.read(call.request.headers)
        let body = try await call.body(of: PaymentRoutes.add)
        let session = call.session
        let check = try await discounts.check(body, in: session.bundleId, call)
        let introductory = try await discounts.introductoryDecision(body, call)
        return AddPaymentRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
            payment: body.payment(key: key), discountCheck: check,
            redeemedOffer: body.offer?.winBack.map { RedeemedOffer(type: .winBack, identifier: $0) },
            introductoryDecision: introductory)
    }
}

extension PurchaseResponse.Outcome {
    /// Decides the outcome that a transaction shows. A purchase may turn out to be one of what the customer holds.
    init(_ transaction: PaymentTransaction) {
        self =
            switch transaction.transactionState {
            case .purchasing: .purchasing
            case .deferred: .pending
            case .purchased, .restored: .purchased
            case .failed: Self(transaction.error)
            }
    }

    private init(_ error: TransactionError?) {
        self =
            if error?.code == SKErrorCode.paymentCancelled.rawValue {
                .cancelled
            } else if error?.isAlreadySubscribed == true {
                .held
            } else if error?.reason == TransactionError.interrupted {
                .pending
            } else {
                .failed
            }
    }
}

extension SignChangesRequest {
    /// Requests what has changed of a session's customer, for the session's device.
    init(of session: Session, ids: [String], subscriptionGroups: [String] = []) {
        self.init(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier,
            deviceVerificationId: session.installation.verificationIdentifier, ids: ids,
            subscriptionGroups: subscriptionGroups)
    }
}

extension PaymentRequest: CheckedBody {
    package func validate() throws(StoreError) {
        try Identifier.check(productIdentifier, as: .product, at: "$.productIdentifier")
        if let applicationUsername { try Identifier.check(applicationUsername, at: "$.applicationUsername") }
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
        try paymentDiscount?.validate(at: "$.paymentDiscount")
        if let intentIdentifier { try Identifier.check(intentIdentifier, at: "$.intentIdentifier") }
        if let introductoryEligibility {
            try Self.checkToken(introductoryEligibility, at: "$.introductoryEligibility")
            guard intentIdentifier == nil else {
                throw .invalid("$.introductoryEligibility", "does not go with intentIdentifier")
            }
        }
        guard billingPlanType != .monthly || intentIdentifier == nil else {
            throw .invalid("$.billingPlanType", "MONTHLY does not go with intentIdentifier")
        }
        guard let offer else { return }
        guard paymentDiscount == nil else { throw .invalid("$.offer", "does not go with paymentDiscount") }
        guard intentIdentifier == nil || offer.promotional == nil else {
            throw .invalid("$.offer.promotional", "does not go with intentIdentifier")
        }
        switch (offer.promotional, offer.winBack) {
        case (let promotional?, nil):
            try Identifier.check(promotional.identifier, at: "$.offer.promotional.identifier")
            try Self.checkToken(promotional.jws, at: "$.offer.promotional.jws")
        case (nil, let winBack?): try Identifier.check(winBack, at: "$.offer.winBack")
        case (nil, nil): throw .invalid("$.offer", "is empty; it has promotional or winBack")
        case (_?, _?): throw .invalid("$.offer", "has promotional or winBack, not both")
        }
    }

    /// Maximum length of a JWS. Apple's libraries make about 600 characters.
    static let tokenLengthMax = 4096

    private static func checkToken(_ text: String, at path: String) throws(StoreError) {
        try Identifier.check(text, at: path, lengthMax: tokenLengthMax)
    }

    func payment(key: String) -> Payment {
        Payment(
            requestIdentifier: key, productIdentifier: productIdentifier, quantity: quantity?.value.number ?? 1,
            applicationUsername: applicationUsername, appAccountToken: appAccountToken,
            simulatesAskToBuyInSandbox: simulatesAskToBuyInSandbox ?? false, paymentDiscount: discount,
            intentIdentifier: intentIdentifier, billingPlanType: billingPlanType == .monthly ? .monthly : nil)
    }

    /// The discount as the payment keeps it, of either form of signature. A text that is no JWS has no parts.
    private var discount: PaymentDiscount? {
        guard let promotional = offer?.promotional else { return paymentDiscount?.discount }
        return OfferToken(promotional.jws)?.discount(promotional.identifier)
            ?? DiscountParts(identifier: promotional.identifier).discount
    }
}

extension CodeRedemption: CheckedBody {
    package func validate() throws(StoreError) {
        if let appAccountToken { try Identifier.check(appAccountToken, at: "$.appAccountToken") }
    }
}

import BusService
import GatewayEdge
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes for purchases that began in the store, and for the app's answers.
struct IntentArea: Area {
    let services: ServiceCaller
    let payments: ServiceCaller

    var routes: [Route] {
        [
            services.forward(IntentRoutes.list, to: PromotionEndpoints.listIntents) { call in
                IntentsRequest(
                    bundleId: call.session.bundleId, deviceId: call.session.deviceId,
                    customerIdentifier: call.session.customerIdentifier,
                    states: try call.query.choices("state", StorePurchaseIntent.State.self), after: try call.after(),
                    limit: try call.limit())
            },
            Route(IntentRoutes.get) { try await intent($0) },
            Route(IntentRoutes.decide) { try await decide($0) },
            // All devices' intents, with filters (M81, M85).
            services.forward(IntentRoutes.search, to: PromotionEndpoints.searchIntents) { call in
                let device = try call.query.single("deviceId")
                if let device { try Identifier.check(device, as: .device, at: "query deviceId") }
                return IntentListRequest(
                    bundleId: try call.bundleFilter(), account: try call.accountFilter(), deviceId: device,
                    state: try call.query.choice("state", StorePurchaseIntent.State.self), after: try call.after(),
                    limit: try call.limit())
            },
        ]
    }

    private func intent(_ call: Call) async throws -> StorePurchaseIntent {
        let session = call.session
        let request = IntentRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier,
            intentIdentifier: try call.parameter(.id, of: Self.intentName))
        return try await namingIntents { try await services.call(PromotionEndpoints.getIntent, request, for: call) }
    }

    /// Records the delegate's answer, or its later result. The first one counts, and a repeated one gets 200.
    private func decide(_ call: Call) async throws -> Reply<IntentDecisionResponse> {
        let session = call.session
        let identifier = try call.parameter(.id, of: Self.intentName)
        let body = try await call.body(of: IntentRoutes.decide)
        let request = DecideIntentRequest(
            bundleId: session.bundleId, deviceId: session.deviceId, customerIdentifier: session.customerIdentifier,
            intentIdentifier: identifier, decision: body.decision, feedback: body.feedback)
        let reply = try await namingIntents {
            try await services.call(
                PromotionEndpoints.decideIntent, request, for: call,
                else: "the decision was sent and its outcome is not known here; repeating it is safe")
        }
        return try Reply(
            IntentDecisionResponse(intent: reply.intent, transaction: reply.added?.transaction), status: reply.status)
    }

    /// Adds the saved payment for the app (M80–M82). PromotionController records that it continues the intent before
    /// PaymentQueue gets it, so that one intent is one charge (I3). The same key again gets the same response.
    func addSaved(_ request: AddPaymentRequest, _ call: Call) async throws -> AddPaymentReply {
        let payment = request.payment
        let addition = AddIntentPaymentRequest(
            bundleId: request.bundleId, deviceId: request.deviceId, customerIdentifier: request.customerIdentifier,
            payment: payment, discountCheck: request.discountCheck, offer: request.redeemedOffer?.identifier)
        let unknown: UnknownOutcome = "the payment was sent and its outcome is not known here"
        let reply = try await namingIntents {
            try await payments.call(
                PromotionEndpoints.addIntentPayment, addition, for: call, idempotencyKey: payment.requestIdentifier,
                else: unknown)
        }
        guard let added = reply.added else { throw unknown.error }
        return added
    }

    private static let intentName = "intent"

    /// Reports another customer's intent as 404, with the text of a missing one (S1).
    private func namingIntents<Value>(_ operation: () async throws -> Value) async throws -> Value {
        do {
            return try await operation()
        } catch let error as StoreError where error.code == .notFound {
            throw StoreError.notFound(Self.intentName)
        }
    }
}

extension DecideIntentReply {
    /// The status is 201 or 202 for the result of the first `continue`. It is 200 for a repeated decision and for one
    /// that creates nothing.
    fileprivate var status: HTTPResponse.Status {
        guard intent.state == .continued, !isRepeated else { return .ok }
        // Decided, but PaymentQueue does not have the payment yet: the stream brings the rest.
        return added.map { .init(code: $0.status) } ?? .accepted
    }
}

extension DecisionRequest: CheckedBody {
    /// Maximum length in characters, as in PromotionController. More is 400.
    static let feedbackLengthMax = 500

    package func validate() throws(StoreError) {
        guard let feedback else { return }
        guard decision == .cancel else { throw .invalid("$.feedback", "goes with cancel only") }
        try Identifier.check(feedback, at: "$.feedback", lengthMax: Self.feedbackLengthMax)
    }
}

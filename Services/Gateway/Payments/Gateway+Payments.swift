import BusClient
import BusService
import HTTPTypes
import Hummingbird
import StoreModels

extension Gateway {
    var paymentRoutes: [Route] {
        [Route(.post, "/v1/payments", .app) { [self] in try await addPayment($0) }]
    }

    /// Puts a payment into the queue. One key is one charge, however often the request is sent.
    private func addPayment(_ call: Call) async throws -> Response {
        let key = try IdempotencyKey.read(call.request.headers)
        let request = try await RequestBodyReader.json(
            PaymentRequest.self, members: PaymentRequest.members, from: call.request,
            check: PaymentRequest.checkQuantity)
        try request.validate()
        try request.refuseWhatIsNotBuilt()
        let session = call.session
        let reply = try await add(
            AddPaymentRequest(
                bundleId: session.bundleId, customerIdentifier: session.customerIdentifier, deviceId: session.deviceId,
                payment: request.payment(key: key)),
            call)
        var headers: HTTPFields = [:]
        if reply.isReplayed { headers[.idempotentReplayed] = "true" }
        return try Reply.json(reply.transaction, status: .init(code: reply.status), headers: headers)
    }

    /// Never retried here: what is not known of the first attempt must reach the client, who repeats it with the same
    /// key.
    ///
    /// - Throws: `serviceUnavailable` when the request was certainly not taken, `outcomeUnknown` when nobody can say.
    private func add(_ request: AddPaymentRequest, _ call: Call) async throws(StoreError) -> AddPaymentReplyOf<RawJSON>
    {
        guard bus.state == .connected else {
            throw StoreError(.serviceUnavailable, "the bus is away; nothing was charged", retryAfterMs: 1000)
        }
        do {
            return try await payments.call(
                PaymentEndpoints.addPayment(as: RawJSON.self), request,
                context: call.context(requestIdentifier: request.payment.requestIdentifier))
        } catch  where error.leavesOutcomeUnknown {
            throw StoreError(
                .outcomeUnknown, "the payment was sent and its outcome is not known here", retryAfterMs: 1000)
        }
    }
}

extension StoreError {
    /// Whether the request may have been carried out although no answer came: time ran out, or the connection broke
    /// while it was under way.
    var leavesOutcomeUnknown: Bool {
        code == .deadlineExceeded || code == .internal || details["outcome"] == "unknown"
    }
}

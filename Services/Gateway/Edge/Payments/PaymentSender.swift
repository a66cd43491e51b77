import BusClient
import BusService
import HTTPTypes
import StoreHTTP
import StoreModels

/// Sends payments once: an unknown outcome must reach the client, which repeats the request with the same key.
package struct PaymentSender: Sendable {
    /// Its state says whether a payment can be sent at all.
    package let bus: any BusClient
    /// Calls services without retries.
    package let payments: ServiceCaller

    /// - Parameter payments: A caller without retries.
    package init(bus: any BusClient, payments: ServiceCaller) {
        self.bus = bus
        self.payments = payments
    }

    /// Adds a payment to the queue.
    /// - Parameter isRepeatable: Whether the client may repeat the request after an unknown outcome.
    /// - Throws: `serviceUnavailable` when the request was certainly not accepted, `outcomeUnknown` when that is not
    ///   known.
    package func add(
        _ request: AddPaymentRequest, _ call: Call, isRepeatable: Bool = true
    ) async throws -> Reply<PaymentTransaction> {
        let reply = try await reply(to: request, call, isRepeatable: isRepeatable)
        var headers: HTTPFields = [:]
        if reply.isReplayed { headers[.idempotentReplayed] = "true" }
        return try Reply(reply.transaction, status: .init(code: reply.status), headers: headers)
    }

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

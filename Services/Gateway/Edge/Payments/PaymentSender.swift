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
        let added = try await reply(
            to: request, as: Forwarded<PaymentTransaction>.self, call, isRepeatable: isRepeatable)
        return try Reply(added.transaction, of: added)
    }

    /// Adds a payment to the queue, and returns the transaction as `Item`.
    /// - Throws: As ``add(_:_:isRepeatable:)``.
    package func reply<Item>(
        to request: AddPaymentRequest, as item: Item.Type = PaymentTransaction.self, _ call: Call,
        isRepeatable: Bool = true
    ) async throws(StoreError) -> AddPaymentReplyOf<Item> {
        guard bus.state == .connected else {
            throw StoreError(.serviceUnavailable, "the bus is away; nothing was charged", retryAfterMs: 1000)
        }
        return try await payments.call(
            PaymentEndpoints.addPayment(as: item), request, for: call,
            idempotencyKey: request.payment.requestIdentifier,
            else: UnknownOutcome(
                "the payment was sent and its outcome is not known here", isRepeatable: isRepeatable))
    }
}

extension Reply {
    /// Responds as PaymentQueue has: 201 or 202, and whether an earlier request with the key had its outcome.
    package init<Form: JSONForm & Encodable, Item>(
        _ body: Form, of added: AddPaymentReplyOf<Item>
    ) throws where Form.Body == Body {
        try self.init(body, status: .init(code: added.status), headers: Self.headers(of: added))
    }

    /// Responds with another body.
    package init<Item>(_ body: Body, of added: AddPaymentReplyOf<Item>) throws where Body: Encodable {
        try self.init(body, status: .init(code: added.status), headers: Self.headers(of: added))
    }

    private static func headers<Item>(of added: AddPaymentReplyOf<Item>) -> HTTPFields {
        added.isReplayed ? [.idempotentReplayed: "true"] : [:]
    }
}

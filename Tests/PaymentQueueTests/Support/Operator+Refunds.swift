import BusService
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// Refunds, revocations and receipts, as a test asks for them.
extension TestStore {
    @discardableResult
    func refund(
        _ id: String, reason: RefundRequest.Reason? = nil, within time: Duration = .seconds(5)
    ) async throws -> PaymentTransaction {
        try await caller.call(
            SubscriptionEndpoints.refund, RefundRequest(.outside(id), reason: reason),
            context: CallContext(deadline: .now + time))
    }

    @discardableResult
    func revoke(_ id: String, reason: RefundRequest.Reason? = nil) async throws -> PaymentTransaction {
        try await caller.call(SubscriptionEndpoints.revoke, RefundRequest(.outside(id), reason: reason))
    }

    /// The processor's refunds, in order.
    func refunds() async throws -> [Refund] {
        try await caller.call(ProcessorEndpoints.listRefunds, ChargeListRequest(limit: 500)).refunds
    }

    /// Rows of the outbox, done or not.
    func outbox() async throws -> Int {
        try await database.read { reader in try await reader.query("SELECT refund_key FROM refund").count }
    }

    /// Sweeps until the processor has answered every refund.
    func settleRefunds() async throws {
        let janitor = current.service.refunds
        try await eventuallySettled { try await janitor.sweep(now: .now + .seconds(60)) == 0 }
    }
}

extension CustomerApp {
    func receipt(after: String? = nil, limit: Int = 500) async throws -> ReceiptFactsPage {
        try await store.caller.call(
            SubscriptionEndpoints.receipt,
            ReceiptFactsRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, after: after, limit: limit))
    }

    func acknowledgeRevocations(_ seq: Int64) async throws {
        _ = try await store.caller.call(
            SubscriptionEndpoints.acknowledgeRevocations,
            AcknowledgeRevocationsRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device, seq: seq))
    }

    /// A purchase at the terms of an offer.
    func buy(
        _ product: String, key: String, discount: PaymentDiscount? = nil, check: DiscountCheck? = nil,
        redeeming redeemed: RedeemedOffer? = nil, introductory: IntroductoryDecision? = nil
    ) async throws -> PaymentTransaction {
        try await store.caller.call(
            PaymentEndpoints.addPayment,
            AddPaymentRequest(
                bundleId: Catalogue.bundleId, customerIdentifier: customer, deviceId: device,
                payment: Payment(requestIdentifier: key, productIdentifier: product, paymentDiscount: discount),
                discountCheck: check, redeemedOffer: redeemed, introductoryDecision: introductory)
        ).transaction
    }
}

extension IntroductoryDecision {
    /// A decision whose text has a nonce.
    static func decision(_ isAllowed: Bool, nonce: String) -> IntroductoryDecision {
        IntroductoryDecision(isAllowed: isAllowed, nonce: nonce, digest: "digest of \(nonce)")
    }
}

extension PaymentDiscount {
    static func offer(_ identifier: String, nonce: String) -> PaymentDiscount {
        PaymentDiscount(identifier: identifier, keyIdentifier: "KEY", nonce: nonce, signature: "c2ln", timestamp: 1)
    }
}

import StoreHTTP
import StoreModels

extension Gateway {
    /// Checks a payment's promotional offer. PaymentQueue decides by the result: a wrong offer becomes a failed
    /// transaction and never an HTTP error.
    ///
    /// - Returns: Nil for a payment without a discount.
    /// - Throws: `serviceUnavailable` when the keys cannot be read: an unchecked signature is not a wrong one.
    func discountCheck(
        of request: PaymentRequest, in bundleId: String, _ call: Call
    ) async throws -> DiscountCheck? {
        guard let parts = request.paymentDiscount else { return nil }
        guard parts.isComplete else { return .missingParameters }
        let discount = parts.discount
        let signature = DiscountSignature(
            bundleId: IsolatedApp.shown(bundleId), payment: request.payment(key: ""), discount: discount)
        guard let publicKey = try await publicKey(discount.keyIdentifier, of: bundleId, call) else {
            return .invalidSignature
        }
        return signature.isValid(publicKey: publicKey, now: now()) ? .valid : .invalidSignature
    }

    /// Finds the app's public key, created at this gateway or contained in its catalogue.
    private func publicKey(_ keyIdentifier: String, of bundleId: String, _ call: Call) async throws -> String? {
        if let key = try await keys.offerKey(keyIdentifier, of: bundleId) { return key }
        guard let app = try await apps.app(bundleId, call) else {
            throw StoreError(
                .serviceUnavailable, "the catalogue that may have the offer's key is away; nothing was charged",
                retryAfterMs: 1000)
        }
        return app.subscriptionOfferKeys?.first { $0.keyIdentifier.isExactly(keyIdentifier) }?.publicKey
    }
}

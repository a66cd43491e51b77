import StoreModels

extension Gateway {
    /// What is to be said of a payment's promotional offer. PaymentQueue sells by it: what is wrong becomes a failed
    /// transaction and never an HTTP error.
    ///
    /// - Returns: nil for a payment without a discount.
    /// - Throws: `serviceUnavailable` when the keys cannot be read: a signature nobody could check is not a wrong one.
    func discountCheck(
        of request: PaymentRequest, in bundleId: String, _ call: Call
    ) async throws -> DiscountCheck? {
        guard let parts = request.paymentDiscount else { return nil }
        guard parts.isComplete else { return .missingParameters }
        let discount = parts.discount
        let signature = DiscountSignature(bundleId: bundleId, payment: request.payment(key: ""), discount: discount)
        guard let publicKey = try await publicKey(discount.keyIdentifier, of: bundleId, call) else {
            return .invalidSignature
        }
        return signature.isValid(publicKey: publicKey, now: now()) ? .valid : .invalidSignature
    }

    /// The app's key of that name: one made here, or one its catalogue brings.
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

import StoreModels

/// What a purchase needs from other services, as functions, so that the purchase knows no bus.
///
/// Deadlines are instants of the monotonic clock; a function that has no answer by then throws.
package struct PurchaseCollaborators: Sendable {
    /// Catalog's quote for one product.
    /// - Throws: `serviceUnavailable` when nobody answered, `deadlineExceeded`.
    package var quote: @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    /// The processor's charge: asked and made in one, idempotent by key.
    /// - Throws: anything but an answer; then the outcome is unknown.
    package var charge: @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Sends the hint of a committed change, at most once.
    package var publish: @Sendable (CustomerChange) -> Void

    package init(
        quote: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote,
        charge: @escaping @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge,
        publish: @escaping @Sendable (CustomerChange) -> Void
    ) {
        self.quote = quote
        self.charge = charge
        self.publish = publish
    }
}

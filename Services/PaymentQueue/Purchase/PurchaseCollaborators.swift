import StoreModels

/// What the payment queue needs from other services, as functions, so that a purchase knows no bus.
///
/// Deadlines are instants of the monotonic clock; a function that has no answer by then throws.
struct PurchaseCollaborators: Sendable {
    /// Subscribes to the processor's callbacks, and returns what ends that.
    typealias ChargeChanges =
        @Sendable (@escaping @Sendable (ChargeChanged) -> Void) async -> @Sendable () async -> Void

    /// Catalog's quote for one product.
    /// - Throws: `serviceUnavailable` without an answer, `deadlineExceeded`.
    var quote: @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    /// The processor's charge: asked and made in one, idempotent by key.
    /// - Throws: Anything but an answer; then the outcome is unknown.
    var charge: @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Cancels a charge. Returns what the key has then: a tombstone, unless it was charged before.
    /// - Throws: Anything but an answer; then it may still be charged.
    var cancelCharge: @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Gives money of a charge back, idempotent by key.
    /// - Throws: `requestInvalid` when the processor's ledger does not allow it; else anything but an answer, and then
    ///   it is asked again.
    var refund: @Sendable (CreateRefundRequest, ContinuousClock.Instant) async throws(StoreError) -> Refund
    /// Sends the hint of a committed change, at most once.
    var publish: @Sendable (CustomerChange) -> Void
    /// What Catalog says of an app.
    var app: @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    /// All storefronts, from Catalog.
    var storefronts: @Sendable (ContinuousClock.Instant) async throws(StoreError) -> [Storefront]
    /// One of this service's replicas gets each callback.
    var chargeChanges: ChargeChanges = { _ in {} }
    /// Tells which apps have changed in Catalog, nil for any, until the task is cancelled.
    var appChanges: @Sendable (_ forget: @escaping @Sendable (String?) -> Void) async -> Void = { _ in }
}

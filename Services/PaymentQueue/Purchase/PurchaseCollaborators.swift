import StoreModels

/// What the payment queue needs from other services, as functions, so that a purchase knows no bus.
///
/// Deadlines are instants of the monotonic clock; a function that has no answer by then throws.
package struct PurchaseCollaborators: Sendable {
    /// Subscribes to the processor's callbacks, and returns what ends that.
    package typealias ChargeChanges =
        @Sendable (@escaping @Sendable (ChargeChanged) -> Void) async -> @Sendable () async -> Void

    /// Catalog's quote for one product.
    /// - Throws: `serviceUnavailable` when nobody answered, `deadlineExceeded`.
    package var quote: @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote
    /// The processor's charge: asked and made in one, idempotent by key.
    /// - Throws: anything but an answer; then the outcome is unknown.
    package var charge: @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Gives a charge up: what stands under the key, which is a tombstone unless it was charged before.
    /// - Throws: anything but an answer; then it may still be charged.
    package var cancelCharge:
        @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge
    /// Gives money of a charge back, idempotent by key.
    /// - Throws: `requestInvalid` when the processor's ledger does not allow it; else anything but an answer, and then it is
    ///   asked again.
    package var refund: @Sendable (CreateRefundRequest, ContinuousClock.Instant) async throws(StoreError) -> Refund
    /// Sends the hint of a committed change, at most once.
    package var publish: @Sendable (CustomerChange) -> Void
    /// What Catalog says of an app.
    package var app: @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App
    /// All storefronts, from Catalog.
    package var storefronts: @Sendable (ContinuousClock.Instant) async throws(StoreError) -> [Storefront]
    /// One of this service's replicas gets each callback.
    package var chargeChanges: ChargeChanges
    /// Tells which apps have changed in Catalog, nil for any, until the task is cancelled.
    package var appChanges: @Sendable (_ forget: @escaping @Sendable (String?) -> Void) async -> Void

    package init(
        quote: @escaping @Sendable (QuoteRequest, ContinuousClock.Instant) async throws(StoreError) -> Quote,
        charge: @escaping @Sendable (CreateChargeRequest, ContinuousClock.Instant) async throws(StoreError) -> Charge,
        cancelCharge:
            @escaping @Sendable (CancelChargeRequest, ContinuousClock.Instant) async throws(StoreError) ->
            Charge,
        refund: @escaping @Sendable (CreateRefundRequest, ContinuousClock.Instant) async throws(StoreError) -> Refund,
        publish: @escaping @Sendable (CustomerChange) -> Void,
        app: @escaping @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> App,
        storefronts: @escaping @Sendable (ContinuousClock.Instant) async throws(StoreError) -> [Storefront],
        chargeChanges: @escaping ChargeChanges = { _ in {} },
        appChanges: @escaping @Sendable (_ forget: @escaping @Sendable (String?) -> Void) async -> Void = { _ in }
    ) {
        self.quote = quote
        self.charge = charge
        self.cancelCharge = cancelCharge
        self.refund = refund
        self.publish = publish
        self.app = app
        self.storefronts = storefronts
        self.chargeChanges = chargeChanges
        self.appChanges = appChanges
    }
}

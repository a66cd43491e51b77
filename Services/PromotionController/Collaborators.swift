import BusService
import StoreModels

/// The other services, as functions: what is asked of them and what is told.
struct Collaborators: Sendable {
    /// PaymentQueue's business clock of an app.
    var clock: AppTimes.Fetch
    /// A payment into PaymentQueue's queue; the same key is the same payment.
    var addPayment: @Sendable (AddPaymentRequest, ContinuousClock.Instant) async throws(StoreError) -> AddPaymentReply
    /// A hint that an installation's intents have changed; at most once.
    var publish: @Sendable (IntentsChanged) -> Void

    /// Over the bus. Nothing is repeated here: the janitor does, and the caller nearest the client.
    static func onBus(_ caller: ServiceCaller) -> Collaborators {
        Collaborators(
            clock: caller.function(SubscriptionEndpoints.getClock),
            addPayment: caller.function(PaymentEndpoints.addPayment),
            publish: { changed in
                let installation = InstallationReference(bundleId: changed.bundleId, deviceId: changed.deviceId)
                let key = InstallationKey.of(installation)
                caller.publish(event: PromotionEvents.intentsChanged(key: key), changed)
            })
    }
}

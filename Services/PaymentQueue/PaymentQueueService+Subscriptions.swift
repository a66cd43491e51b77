import ServiceDatabase
import StoreModels

extension PaymentQueueService {
    /// Subscriptions and clocks.
    func registerSubscriptions(on endpoints: DatabaseEndpoints) {
        endpoints.handle(SubscriptionEndpoints.list, subscriptionReader.list)
        endpoints.handle(SubscriptionEndpoints.search, subscriptionReader.search)
        endpoints.handle(SubscriptionEndpoints.timeline, subscriptionReader.timeline)
        endpoints.handle(SubscriptionEndpoints.update, subscriptions.update)
        endpoints.handle(SubscriptionEndpoints.showPriceConsent, subscriptions.showPriceConsent)
        endpoints.handle(SubscriptionEndpoints.operate, subscriptions.operate)
        endpoints.handle(SubscriptionEndpoints.getClock, clocks.get)
        endpoints.handle(SubscriptionEndpoints.putClock, clocks.put)
        endpoints.handle(SubscriptionEndpoints.advanceClock, clocks.advance)
        endpoints.handle(SubscriptionEndpoints.getAdvance, clocks.progress)
    }
}

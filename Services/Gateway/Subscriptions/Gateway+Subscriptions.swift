import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes by which an app lists and changes its customer's subscriptions.
    var subscriptionRoutes: [Route] {
        [
            Route(SubscriptionRoutes.list) { [self] in
                try await subscriptions(of: $0.session.customer, $0)
            },
            Route(SubscriptionRoutes.update) { [self] in
                try await changeSubscription($0)
            },
            Route(SubscriptionRoutes.showPriceConsent) { [self] in
                try await showPriceConsent($0)
            },
        ]
    }

    /// Lists one subscription per group the customer ever subscribed to.
    func subscriptions(of customer: CustomerReference, _ call: Call) async throws -> SubscriptionsPage {
        let request = SubscriptionsRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
            after: try call.after(), limit: try call.limit())
        return try await services.call(SubscriptionEndpoints.list, request, context: call.context())
    }

    /// Records whether the app defers the question about a higher price or shows it.
    private func showPriceConsent(_ call: Call) async throws -> Subscription {
        let identifier = try call.parameter(.originalTransactionIdentifier, of: "subscription")
        let answer = try await call.body(of: SubscriptionRoutes.showPriceConsent)
        let request = ShowPriceConsentRequest(
            bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier,
            originalTransactionIdentifier: identifier, show: answer.show)
        return try await services.call(SubscriptionEndpoints.showPriceConsent, request, context: call.context())
    }

    /// Cancels, reactivates, changes the product, or reverts the change.
    private func changeSubscription(_ call: Call) async throws -> Subscription {
        let identifier = try call.parameter(.originalTransactionIdentifier, of: "subscription")
        let change = try await call.body(of: SubscriptionRoutes.update)
        try change.validate()
        let session = call.session
        let request = UpdateSubscriptionRequest(
            bundleId: session.bundleId, customerIdentifier: session.customerIdentifier,
            originalTransactionIdentifier: identifier, willAutoRenew: change.willAutoRenew,
            autoRenewProductIdentifier: change.autoRenewProductIdentifier)
        return try await withKnownOutcome(
            else: "the change was sent and its outcome is not known here; the same again is safe"
        ) { () async throws(StoreError) in
            try await services.call(SubscriptionEndpoints.update, request, context: call.context())
        }
    }
}

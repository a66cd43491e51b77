import BusService
import GatewayEdge
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes by which an app lists and changes its customer's subscriptions.
struct SubscriptionArea: Area {
    let services: ServiceCaller

    var routes: [Route] {
        [
            services.forward(SubscriptionRoutes.list, to: SubscriptionEndpoints.list) {
                try $0.subscriptions(of: $0.session.customer)
            },
            // Cancels, reactivates, changes the product, or reverts the change.
            services.forward(
                SubscriptionRoutes.update, to: SubscriptionEndpoints.update,
                else: "the change was sent and its outcome is not known here; repeating it is safe"
            ) { call, change in
                UpdateSubscriptionRequest(
                    bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier,
                    originalTransactionIdentifier: try call.ownSubscription(), willAutoRenew: change.willAutoRenew,
                    autoRenewProductIdentifier: change.autoRenewProductIdentifier)
            },
            // The app defers the question about a higher price, or shows it.
            services.forward(
                SubscriptionRoutes.showPriceConsent, to: SubscriptionEndpoints.showPriceConsent
            ) { call, answer in
                ShowPriceConsentRequest(
                    bundleId: call.session.bundleId, customerIdentifier: call.session.customerIdentifier,
                    originalTransactionIdentifier: try call.ownSubscription(), show: answer.show)
            },
        ]
    }
}

extension Call {
    /// The page that the query names of a customer's subscriptions, one per group the customer ever subscribed to.
    /// - Throws: `requestInvalid`.
    func subscriptions(of customer: CustomerReference) throws(StoreError) -> SubscriptionsRequest {
        SubscriptionsRequest(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, after: try after(),
            limit: try limit())
    }

    fileprivate func ownSubscription() throws(StoreError) -> String {
        try parameter(.originalTransactionIdentifier, of: "subscription")
    }
}

extension SubscriptionChange: CheckedBody {
    package func validate() throws(StoreError) {
        if let product = autoRenewProductIdentifier {
            try Identifier.check(product, as: .product, at: "$.autoRenewProductIdentifier")
        }
    }
}

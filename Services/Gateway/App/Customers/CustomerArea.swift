import BusService
import GatewayEdge
import StoreHTTP
import StoreModels

/// The routes with which an app's server reads the app's customers, by account.
struct CustomerArea: Area {
    let services: ServiceCaller
    let eligibility: EligibilityAnswers

    var routes: [Route] {
        [
            services.forward(CustomerRoutes.history, to: PaymentEndpoints.history) { call in
                try call.history(of: try await customer(call).reference)
            } reply: {
                try Reply($0.withoutRecords)
            },
            Route(CustomerRoutes.eligibility) { try await eligibility.reply(about: try await customer($0), $0) },
            services.forward(CustomerRoutes.subscriptions, to: SubscriptionEndpoints.list) { call in
                try call.subscriptions(of: try await customer(call).reference)
            },
        ]
    }

    /// Returns the customer the path names, in the key's app. Another app's customer is `notFound` too (S1).
    private func customer(_ call: Call) async throws -> RequestCustomer {
        let bundleId = call.serverKey.bundleId
        let account = try call.account().id
        guard let known = try await services.existingAccount(account, of: bundleId, call.context()) else {
            throw StoreError.notFound("customer")
        }
        return RequestCustomer(bundleId: bundleId, account: known)
    }
}

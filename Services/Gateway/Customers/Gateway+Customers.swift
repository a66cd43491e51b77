import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes with which an app's server reads the app's customers, by account.
    var customerRoutes: [Route] {
        [
            forward(CustomerRoutes.history, to: PaymentEndpoints.history) { [self] call in
                try call.history(of: try await customer(call).reference)
            } reply: {
                try Reply($0.withoutRecords)
            },
            Route(CustomerRoutes.eligibility) { [self] in try await eligibility(of: try await customer($0), $0) },
            forward(CustomerRoutes.subscriptions, to: SubscriptionEndpoints.list) { [self] call in
                try call.subscriptions(of: try await customer(call).reference)
            },
        ]
    }

    /// Returns the customer the path names, in the key's app. Another app's customer is `notFound` too (S1).
    private func customer(_ call: Call) async throws -> RequestCustomer {
        let bundleId = call.serverKey.bundleId
        let account = try call.account().id
        guard let known = try await existingAccount(account, of: bundleId, call.context()) else {
            throw StoreError.notFound("customer")
        }
        return RequestCustomer(bundleId: bundleId, account: known)
    }
}

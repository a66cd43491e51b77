import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Routes with which an app's server reads the app's customers, by account.
    var customerRoutes: [Route] {
        [
            Route(CustomerRoutes.history) { [self] in try await customerHistory($0) },
            Route(CustomerRoutes.eligibility) { [self] call in
                try await eligibility(of: try await customer(call), call)
            },
            Route(CustomerRoutes.subscriptions) { [self] call in
                let customer = try await customer(call)
                return try await subscriptions(
                    of: CustomerReference(
                        bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier), call)
            },
        ]
    }

    private func customerHistory(_ call: Call) async throws -> TransactionsPage {
        let customer = try await customer(call)
        let page = try await services.call(
            PaymentEndpoints.history,
            HistoryRequest(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, after: try call.after(),
                limit: try call.limit()),
            context: call.context())
        return TransactionsPage(transactions: page.transactions, after: page.after)
    }

    /// Returns the customer the path names, in the key's app. Another app's customer is `notFound` too (S1).
    private func customer(_ call: Call) async throws(StoreError) -> Shopper {
        let bundleId = call.serverKey.bundleId
        let account = try call.account().id
        do {
            return Shopper(
                bundleId: bundleId,
                account: try await services.call(
                    PaymentEndpoints.getAccount, GetAccountRequest(bundleId: bundleId, account: account),
                    context: call.context()))
        } catch  where error.code == .notFound {
            throw .notFound("customer")
        }
    }
}

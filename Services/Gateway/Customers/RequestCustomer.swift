import StoreModels

/// The customer of an app for whom a request shows products, with the current storefront.
struct RequestCustomer: Sendable {
    let bundleId: String
    let account: AccountReply
    /// The app's version, requested after the client's request arrived. Nil when Catalog is away or was not asked.
    var appVersion: AppVersion?

    var customerIdentifier: String { account.customerIdentifier }
    var reference: CustomerReference { CustomerReference(bundleId: bundleId, customerIdentifier: customerIdentifier) }
    /// Alpha-3 country code.
    var storefront: String { account.storefront }

    /// Fails when the tester is set to fail loading products.
    /// - Throws: `serviceUnavailable`, with the error as StoreKit has it.
    func checkMayLoadProducts() throws(StoreError) {
        guard let failure = account.simulatedProductsError else { return }
        throw try simulated(failure, "loading products")
    }

    /// Fails when the tester is set to fail refreshing the receipt.
    /// - Throws: `serviceUnavailable`, with the error as StoreKit has it. A retry changes nothing.
    func checkMayRefreshReceipt() throws(StoreError) {
        guard let failure = account.simulatedReceiptError else { return }
        var error = try simulated(failure, "refreshing the receipt")
        error.retryable = false
        throw error
    }

    private func simulated(_ failure: TransactionError, _ what: String) throws(StoreError) -> StoreError {
        let name = failure.reason ?? failure.name
        return StoreError(
            .serviceUnavailable, "\(what) fails for \(account.account), as set: simulated error \(name)",
            details: ["simulatedError": .string(name), "error": try failure.json()])
    }
}

extension TransactionError {
    /// The error's JSON as on a failed transaction.
    fileprivate func json() throws(StoreError) -> JSONValue {
        do {
            return try StoreJSON.decode(JSONValue.self, from: try StoreJSON.encode(self))
        } catch {
            throw StoreError(.internal, "an error without a JSON form")
        }
    }
}

import StoreModels

/// For whom a request shows products: a customer of an app, and where they shop now.
struct Shopper: Sendable {
    let bundleId: String
    let account: AccountReply
    /// The app's, asked for after the client's request came; nil when Catalog is away, or was not asked.
    var appVersion: AppVersion?

    var customerIdentifier: String { account.customerIdentifier }
    /// Alpha-3 country code.
    var storefront: String { account.storefront }

    /// Loading products meets an error when the tester is set so.
    /// - Throws: `serviceUnavailable`, with the error's name.
    func checkMayLoadProducts() throws(StoreError) {
        guard let name = account.simulatedLoadProductsError else { return }
        throw StoreError(
            .serviceUnavailable, "loading products fails for \(account.account), as set: simulated error \(name)",
            details: ["simulatedError": .string(name)])
    }

    /// Asking for the receipt meets an error when the tester is set so.
    /// - Throws: `serviceUnavailable`, with the error as StoreKit has it; asking again changes nothing.
    func checkMayRefreshReceipt() throws(StoreError) {
        guard let failure = account.simulatedReceiptError else { return }
        var error = StoreError(
            .serviceUnavailable,
            "refreshing the receipt fails for \(account.account), as set: simulated error \(failure.name)",
            details: ["simulatedError": .string(failure.reason ?? failure.name), "error": try failure.json()])
        error.retryable = false
        throw error
    }
}

extension TransactionError {
    /// As on a failed transaction.
    fileprivate func json() throws(StoreError) -> JSONValue {
        do {
            return try StoreJSON.decode(JSONValue.self, from: try StoreJSON.encode(self))
        } catch {
            throw StoreError(.internal, "an error without a JSON form")
        }
    }
}

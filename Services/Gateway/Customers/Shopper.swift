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
}

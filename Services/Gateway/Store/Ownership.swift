import StoreModels

/// What a customer owns, from the history of purchases: non-consumables for ever, subscriptions until they expire.
struct Ownership: Sendable {
    private let products: Set<String>
    /// False when the history was too long to be read whole: then what was not found is not known.
    private let isComplete: Bool

    /// - Parameters:
    ///   - now: The business clock, never the wall clock.
    init(transactions: [PaymentTransaction], isComplete: Bool, now: Timestamp) {
        products = Set(
            transactions.lazy
                .filter { $0.revocationDate == nil && ($0.expiresDate.map { $0 > now } ?? true) }
                .map(\.payment.productIdentifier))
        self.isComplete = isComplete
    }

    /// Whether the customer has the product; nil when it cannot be said. Consumables are used up, and what does not
    /// renew keeps its own time in the app, so neither is ever owned.
    func owns(_ product: Product) -> Bool? {
        guard product.type.isRestorable else { return false }
        if products.contains(product.productIdentifier) { return true }
        return isComplete ? false : nil
    }
}

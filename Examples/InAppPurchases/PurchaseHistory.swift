import StoreKitClient

/// The purchases and restored purchases since the app was launched.
///
/// Unchecked: it is used on the main queue only.
final class PurchaseHistory: @unchecked Sendable {
    private(set) var purchased: [SKPaymentTransaction] = []
    private(set) var restored: [SKPaymentTransaction] = []

    /// Adds a purchase.
    /// - Returns: Whether it is new. The queue delivers an unfinished transaction again at each launch.
    func add(purchased transaction: SKPaymentTransaction) -> Bool { Self.add(transaction, to: &purchased) }
    func add(restored transaction: SKPaymentTransaction) -> Bool { Self.add(transaction, to: &restored) }

    private static func add(_ transaction: SKPaymentTransaction, to list: inout [SKPaymentTransaction]) -> Bool {
        guard !list.contains(transaction) else { return false }
        list.append(transaction)
        return true
    }

    /// Removes refunded products.
    func remove(_ productIdentifiers: [String]) {
        purchased.removeAll { productIdentifiers.contains($0.payment.productIdentifier) }
        restored.removeAll { productIdentifiers.contains($0.payment.productIdentifier) }
    }
}

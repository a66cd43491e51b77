import StoreKitClient

/// What the user has bought and restored since the app was launched.
///
/// Unchecked: all of it runs on the main queue.
final class PurchaseHistory: @unchecked Sendable {
    private(set) var purchased: [SKPaymentTransaction] = []
    private(set) var restored: [SKPaymentTransaction] = []

    /// - Returns: Whether it is new: an unfinished transaction comes again at each launch.
    func add(purchased transaction: SKPaymentTransaction) -> Bool { Self.add(transaction, to: &purchased) }
    func add(restored transaction: SKPaymentTransaction) -> Bool { Self.add(transaction, to: &restored) }

    private static func add(_ transaction: SKPaymentTransaction, to list: inout [SKPaymentTransaction]) -> Bool {
        guard !list.contains(transaction) else { return false }
        list.append(transaction)
        return true
    }

    /// Takes out what was refunded.
    func remove(_ productIdentifiers: [String]) {
        purchased.removeAll { productIdentifiers.contains($0.payment.productIdentifier) }
        restored.removeAll { productIdentifiers.contains($0.payment.productIdentifier) }
    }
}

import Foundation

@testable import StoreKitClient

/// Handles promoted purchases by the older article's spelling: the label is `forProduct`.
final class OlderObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, forProduct product: SKProduct
    ) -> Bool { true }
}

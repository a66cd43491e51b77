import Foundation
import StoreKitClient

/// Listing L1 in the words of the older article: the label is `forProduct`.
final class OlderObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {}

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        forProduct product: SKProduct
    ) -> Bool {
        return true
    }
}

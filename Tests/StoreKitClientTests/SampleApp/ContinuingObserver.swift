import Foundation
import StoreKitClient

/// Listing L1: the customer who bought in the store goes on here.
final class ContinuingObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    static let shared = ContinuingObserver()

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions where transaction.transactionState == .purchased {
            queue.finishTransaction(transaction)
        }
    }

    // Continuing a transaction from the App Store.

    // MARK: - SKPaymentTransactionObserver

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment,
        for product: SKProduct
    ) -> Bool {
        // Check to see if you can complete the transaction.
        // Return true if you can.
        return true
    }
}

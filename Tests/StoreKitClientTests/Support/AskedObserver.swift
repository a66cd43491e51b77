import Foundation

@testable import StoreKitClient

/// Handles promoted purchases, and writes down what it is asked and told.
final class AskedObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    private struct Log: Sendable {
        var asked: [(payment: SKPayment, product: SKProduct)] = []
        var transactions: [SKPaymentTransaction] = []
    }

    private let log = LockedValue(Log())
    private let answer: @Sendable (SKPaymentQueue, SKPayment) -> Bool

    init(_ answer: @escaping @Sendable (SKPaymentQueue, SKPayment) -> Bool) { self.answer = answer }

    var payments: [SKPayment] { log.withLock { $0.asked.map(\.payment) } }
    var products: [SKProduct] { log.withLock { $0.asked.map(\.product) } }
    var transactions: [SKPaymentTransaction] { log.withLock { $0.transactions } }
    var states: [SKPaymentTransactionState] { transactions.map(\.transactionState) }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        log.withLock { $0.transactions += transactions }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
        log.withLock { $0.asked.append((payment, product)) }
        return answer(queue, payment)
    }
}

import Dispatch
import Foundation
import StoreKitClient
import Synchronization

/// Whoever shows the observer's messages.
protocol StoreObserverDelegate: AnyObject, Sendable {
    func storeObserverDidReceiveMessage(_ message: String)
}

/// Listings L11, L12 and L14: the one, shared observer (M18), in Swift 6 mode and without `@unchecked`: what changes is
/// behind a lock.
final class StoreObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    static let shared = StoreObserver()

    private struct State {
        weak var delegate: (any StoreObserverDelegate)?
        var purchased: [SKPaymentTransaction] = []
        var restored: [SKPaymentTransaction] = []
        var deferredCount = 0
        var hasRestoreEnded = false
    }

    private let state = Mutex(State())

    var delegate: (any StoreObserverDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }
    var purchased: [SKPaymentTransaction] { state.withLock { $0.purchased } }
    var restored: [SKPaymentTransaction] { state.withLock { $0.restored } }
    var deferredCount: Int { state.withLock { $0.deferredCount } }
    var hasRestoreEnded: Bool { state.withLock { $0.hasRestoreEnded } }

    func buy(_ product: SKProduct) {
        let payment = SKMutablePayment(product: product)
        SKPaymentQueue.default().add(payment)
    }

    func restore() {
        SKPaymentQueue.default().restoreCompletedTransactions()
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing: break
            case .deferred: handleDeferred()
            case .purchased: handlePurchased(transaction)
            case .failed: handleFailed(transaction)
            case .restored: handleRestored(transaction)
            @unknown default: fatalError(Messages.unknownPaymentTransaction)
            }
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        state.withLock { $0.hasRestoreEnded = true }
    }

    private func handleDeferred() {
        state.withLock { $0.deferredCount += 1 }
        print(Messages.deferred)
    }

    private func handlePurchased(_ transaction: SKPaymentTransaction) {
        state.withLock { $0.purchased.append(transaction) }
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    private func handleFailed(_ transaction: SKPaymentTransaction) {
        let message = "\(Messages.failed) \(transaction.payment.productIdentifier)"
        // M32: a customer who has cancelled knows.
        if (transaction.error as? SKError)?.code != .paymentCancelled {
            DispatchQueue.main.async {
                self.delegate?.storeObserverDidReceiveMessage(message)
            }
        }
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    private func handleRestored(_ transaction: SKPaymentTransaction) {
        state.withLock { $0.restored.append(transaction) }
        SKPaymentQueue.default().finishTransaction(transaction)
    }
}

import Foundation
import StoreKitClient

protocol StoreObserverDelegate: AnyObject {
    func storeObserverDidReceiveMessage(_ message: String)
    func storeObserver(didPurchase transaction: SKPaymentTransaction)
    func storeObserver(didRestore transaction: SKPaymentTransaction)
    func storeObserver(didRevoke productIdentifiers: [String])
    func storeObserverStorefrontDidChange()
}

/// The app's observer of the payment queue: delivers purchases and finishes them.
///
/// Unchecked: it is used on the main queue only, which is the connection's callback target.
final class StoreObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    static let shared = StoreObserver()

    weak var delegate: (any StoreObserverDelegate)?
    let purchases = PurchaseHistory()
    /// Whether the user is in onboarding, which defers purchases that begin in the store.
    var isOnboarding = false
    /// The deferred payments.
    private(set) var savedPayments: [SKPayment] = []
    /// The directory for delivered content.
    var contentDirectory: URL?
    private var hasRestorablePurchases = false

    // MARK: Actions of the user

    func buy(_ product: SKProduct) {
        let payment = SKMutablePayment(product: product)
        SKPaymentQueue.default().add(payment)
    }

    func restore() {
        hasRestorablePurchases = false
        SKPaymentQueue.default().restoreCompletedTransactions()
    }

    /// Continues the deferred payments.
    func continueSavedPayments() {
        isOnboarding = false
        for savedPayment in savedPayments { SKPaymentQueue.default().add(savedPayment) }
        savedPayments = []
    }

    /// Cancels the deferred payments in the store.
    func cancelSavedPayments() {
        isOnboarding = false
        for savedPayment in savedPayments {
            SKPaymentQueue.default().cancelStorePayment(savedPayment, feedback: "You have cancelled it.")
        }
        savedPayments = []
    }

    // MARK: - SKPaymentTransactionObserver

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing: break
            // Do not block the UI. Allow the user to continue using the app.
            case .deferred: delegate?.storeObserverDidReceiveMessage(Messages.deferred)
            case .purchased: handlePurchased(transaction)
            case .failed: handleFailed(transaction)
            case .restored: handleRestored(transaction)
            @unknown default: fatalError(Messages.unknownPaymentTransaction)
            }
        }
    }

    /// Continues a purchase that began in the store, or defers it.
    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool {
        delegate?.storeObserverDidReceiveMessage(Messages.openedByStore)
        if isOnboarding {
            savedPayments.append(payment)
            delegate?.storeObserverDidReceiveMessage(Messages.deferredInApp(product.localizedTitle))
            return false
        }
        return true
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        for download in downloads where download.state == .finished || download.state == .failed {
            let transaction = download.transaction
            if transaction.downloads.allSatisfy({ $0.state == .finished }) {
                finish(transaction)
            } else if download.state == .failed {
                let reason = download.error?.localizedDescription ?? ""
                delegate?.storeObserverDidReceiveMessage(Messages.notDelivered(title(transaction), reason))
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        if (error as? SKError)?.code != .paymentCancelled {
            delegate?.storeObserverDidReceiveMessage(Messages.restoreFailed(error.localizedDescription))
        }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        if !hasRestorablePurchases { delegate?.storeObserverDidReceiveMessage(Messages.nothingRestored) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        purchases.remove(productIdentifiers)
        delegate?.storeObserver(didRevoke: productIdentifiers)
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { delegate?.storeObserverStorefrontDidChange() }

    // MARK: Delivery

    private func handlePurchased(_ transaction: SKPaymentTransaction) {
        if purchases.add(purchased: transaction) { delegate?.storeObserver(didPurchase: transaction) }
        deliver(transaction)
    }

    private func handleRestored(_ transaction: SKPaymentTransaction) {
        hasRestorablePurchases = true
        if purchases.add(restored: transaction) { delegate?.storeObserver(didRestore: transaction) }
        deliver(transaction)
    }

    private func handleFailed(_ transaction: SKPaymentTransaction) {
        // Do not send any notifications when the user cancels the purchase.
        if (transaction.error as? SKError)?.code != .paymentCancelled {
            let reason = transaction.error?.localizedDescription ?? ""
            delegate?.storeObserverDidReceiveMessage(Messages.failed(title(transaction), reason))
        }
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    /// Delivers a purchase: downloads its hosted content, then finishes it. A product without content only needs the
    /// history.
    private func deliver(_ transaction: SKPaymentTransaction) {
        let missing = transaction.downloads.filter { $0.state != .finished }
        if missing.isEmpty { finish(transaction) } else { SKPaymentQueue.default().start(missing) }
    }

    /// Moves content to its directory, then finishes the transaction, which cannot be undone.
    private func finish(_ transaction: SKPaymentTransaction) {
        do {
            for download in transaction.downloads { try keepContent(of: download) }
        } catch {
            delegate?.storeObserverDidReceiveMessage(
                Messages.notDelivered(title(transaction), error.localizedDescription))
            return
        }
        SKPaymentQueue.default().finishTransaction(transaction)
    }

    private func keepContent(of download: SKDownload) throws {
        guard let contentDirectory, let file = download.contentURL else { throw CocoaError(.fileNoSuchFile) }
        try FileManager.default.createDirectory(at: contentDirectory, withIntermediateDirectories: true)
        let place = contentDirectory.appendingPathComponent(
            "\(download.contentIdentifier)-\(download.contentVersion)")
        try? FileManager.default.removeItem(at: place)
        try FileManager.default.moveItem(at: file, to: place)
        delegate?.storeObserverDidReceiveMessage("Content: \(place.lastPathComponent), \(download.contentLength) bytes")
    }

    private func title(_ transaction: SKPaymentTransaction) -> String {
        StoreManager.shared.title(matchingIdentifier: transaction.payment.productIdentifier)
    }
}

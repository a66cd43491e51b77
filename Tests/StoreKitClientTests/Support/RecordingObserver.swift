import Foundation

@testable import StoreKitClient

/// Records its calls, and hands them to the test one after the other.
final class RecordingObserver: NSObject, SKPaymentTransactionObserver, Sendable {
    enum Call: Equatable, Sendable {
        case updated([SKPaymentTransactionState])
        case removed(Int)
        case restoreFinished
        case restoreFailed(SKError.Code)
        case downloads([SKDownloadState])
        case storefrontChanged
        case revoked([String])
    }

    private let log = LockedValue<[(call: Call, transactions: [SKPaymentTransaction], downloads: [SKDownload])]>([])

    /// Everything so far.
    var calls: [Call] { log.withLock { $0.map(\.call) } }
    /// The states told so far, of all transactions.
    var states: [SKPaymentTransactionState] {
        log.withLock { log in
            log.flatMap { entry in
                if case .updated(let states) = entry.call { return states }
                return []
            }
        }
    }
    /// The transactions so far, as they came; removed ones too.
    var transactions: [SKPaymentTransaction] { log.withLock { $0.flatMap(\.transactions) } }
    /// The downloads told so far.
    var downloads: [SKDownload] { log.withLock { $0.flatMap(\.downloads) } }

    private func note(
        _ call: Call, _ transactions: [SKPaymentTransaction] = [], _ downloads: [SKDownload] = []
    ) {
        log.withLock { $0.append((call, transactions, downloads)) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        note(.updated(transactions.map(\.transactionState)), transactions)
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        note(.removed(transactions.count), transactions)
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { note(.restoreFinished) }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        note(.restoreFailed((error as? SKError)?.code ?? .overlayTimeout))
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        note(.downloads(downloads.map(\.state)), [], downloads)
    }

    func paymentQueueDidChangeStorefront(_ queue: SKPaymentQueue) { note(.storefrontChanged) }

    func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        note(.revoked(productIdentifiers))
    }
}

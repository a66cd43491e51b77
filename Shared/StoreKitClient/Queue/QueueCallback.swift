/// A callback to an observer.
enum QueueCallback: Sendable {
    case updatedTransactions([SKPaymentTransaction])
    case removedTransactions([SKPaymentTransaction])
    case updatedDownloads([SKDownload])
    case restoreFinished
    case restoreFailed(SKError)
    case storefrontChanged
    case entitlementsRevoked([String])

    func tell(_ observer: any SKPaymentTransactionObserver, of queue: SKPaymentQueue) {
        switch self {
        case .updatedTransactions(let transactions):
            observer.paymentQueue(queue, updatedTransactions: transactions)
        case .removedTransactions(let transactions):
            observer.paymentQueue(queue, removedTransactions: transactions)
        case .updatedDownloads(let downloads):
            observer.paymentQueue(queue, updatedDownloads: downloads)
        case .restoreFinished:
            observer.paymentQueueRestoreCompletedTransactionsFinished(queue)
        case .restoreFailed(let error):
            observer.paymentQueue(queue, restoreCompletedTransactionsFailedWithError: error)
        case .storefrontChanged:
            observer.paymentQueueDidChangeStorefront(queue)
        case .entitlementsRevoked(let productIdentifiers):
            observer.paymentQueue(queue, didRevokeEntitlementsForProductIdentifiers: productIdentifiers)
        }
    }
}

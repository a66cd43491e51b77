import StoreKitClient

/// An app's class as it is written for StoreKit: one import, no word of `Sendable`, state without a lock, and a request
/// it does not keep. It compiles in Swift 6 mode.
class OneImport: NSObject, SKPaymentTransactionObserver, SKProductsRequestDelegate {
    var products: [SKProduct] = []
    var states: [SKPaymentTransactionState] = []
    var restoreEnds = 0
    var didChange: () -> Void = {}

    func fetch(_ identifiers: Set<String>, from queue: SKPaymentQueue) {
        let request = SKProductsRequest(productIdentifiers: identifiers, queue: queue)
        request.delegate = self
        request.start()
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        products = response.products
        didChange()
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            states.append(transaction.transactionState)
            // As some wrappers do, in every other state.
            if transaction.transactionState != .purchasing { queue.finishTransaction(transaction) }
        }
        didChange()
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        restoreEnds += 1
        didChange()
    }

    /// What a file may use beside StoreKit without another import.
    static func describe(_ product: SKProduct) -> String {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = product.priceLocale
        let date = Date(timeIntervalSince1970: 0)
        let url = URL(string: "https://example.com").map { URLRequest(url: $0) }
        return "\(formatter.string(from: product.price) ?? "") \(date.timeIntervalSince1970) \(url?.httpMethod ?? "")"
    }
}

import EventLoop
import Foundation
import StoreKitClient
import StorebusTesting

/// An app on a device, through the client library: its queue, and an observer that records its calls.
final class StoreKitClientWitness: NSObject, SKPaymentTransactionObserver, SKProductsRequestDelegate, Sendable {
    private struct State {
        var transactions: [SKPaymentTransaction] = []
        var removed: [SKPaymentTransaction] = []
        var downloads: [SKDownloadState] = []
        var restoreEnds: [SKError.Code?] = []
        /// Of each revocation.
        var revoked: [[String]] = []
        var response: SKProductsResponse?
        var finishedRequests = 0
        var failure: (any Error)?
    }

    let queue: SKPaymentQueue
    private let state = Locked(State())

    /// Launches the app.
    init(
        _ store: StoreStack, account: String, device: String, bundleId: String = "com.example.app",
        storefront: String? = nil, contents: TemporaryDirectory? = nil
    ) throws {
        guard let gateway = URL(string: store.url) else { throw StackError("\(store.url) is no URL") }
        queue = SKPaymentQueue(
            connection: StoreConnection(
                gateway: gateway, bundleId: bundleId, deviceId: device, account: account, storefront: storefront,
                contentDirectory: contents.map { URL(fileURLWithPath: $0.path, isDirectory: true) }))
    }

    func launch() { queue.add(self) }
    func quit() { queue.remove(self) }

    /// Every state of every transaction, in the order of the observer's calls.
    var transactions: [SKPaymentTransaction] { state.withLock { $0.transactions } }
    var removed: [SKPaymentTransaction] { state.withLock { $0.removed } }
    var downloads: [SKDownloadState] { state.withLock { $0.downloads } }
    /// Nil for a restore that was finished.
    var restoreEnds: [SKError.Code?] { state.withLock { $0.restoreEnds } }
    /// The products of each revocation.
    var revoked: [[String]] { state.withLock { $0.revoked } }

    func states(of product: String) -> [SKPaymentTransactionState] {
        transactions.filter { $0.payment.productIdentifier == product }.map(\.transactionState)
    }

    func forget() { state.withLock { $0 = State() } }

    /// Asks for products and waits for the answer.
    func products(_ identifiers: Set<String>) async throws -> SKProductsResponse {
        state.withLock { $0.response = nil }
        let request = SKProductsRequest(productIdentifiers: identifiers, queue: queue)
        request.delegate = self
        request.start()
        try await eventually("products are there", within: .seconds(20)) {
            if let failure = state.withLock({ $0.failure }) { throw failure }
            return state.withLock { $0.response != nil }
        }
        guard let response = state.withLock({ $0.response }) else { throw StackError("no products") }
        return response
    }

    func product(_ identifier: String) async throws -> SKProduct {
        guard let product = try await products([identifier]).products.first else {
            throw StackError("\(identifier) is not for sale")
        }
        return product
    }

    /// Fetches the receipt anew.
    /// - Returns: What is in the file then.
    func refreshReceipt() async throws -> Data {
        let before = state.withLock { $0.finishedRequests }
        let request = SKReceiptRefreshRequest(queue: queue)
        request.delegate = self
        request.start()
        try await eventually("the receipt is there", within: .seconds(20)) {
            if let failure = state.withLock({ $0.failure }) { throw failure }
            return state.withLock { $0.finishedRequests } > before
        }
        withExtendedLifetime(request) {}
        return try Data(contentsOf: queue.appStoreReceiptURL)
    }

    /// Buys and waits until the observer gets `state`.
    /// - Returns: The transaction in that state.
    func buy(
        _ product: SKProduct, until end: SKPaymentTransactionState = .purchased
    ) async throws -> SKPaymentTransaction {
        try await buy(SKPayment(product: product), until: end)
    }

    func buy(
        _ payment: SKPayment, until end: SKPaymentTransactionState = .purchased
    ) async throws -> SKPaymentTransaction {
        let before = transactions.count
        queue.add(payment)
        return try await next(end, after: before)
    }

    /// Waits for a state that comes after the first `count`.
    func next(_ end: SKPaymentTransactionState, after count: Int) async throws -> SKPaymentTransaction {
        var found: SKPaymentTransaction?
        try await eventually("a transaction is \(end)", within: .seconds(30)) {
            found = transactions.dropFirst(count).last { $0.transactionState == end }
            return found != nil
        }
        guard let found else { throw StackError("no transaction is \(end)") }
        return found
    }

    /// Finishes and waits until it has left the queue.
    func finish(_ transaction: SKPaymentTransaction) async throws {
        queue.finishTransaction(transaction)
        try await eventually("it is removed", within: .seconds(30)) { removed.contains(transaction) }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        state.withLock { $0.transactions += transactions }
    }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        state.withLock { $0.removed += transactions }
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        state.withLock { $0.downloads += downloads.map(\.state) }
    }

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) {
        state.withLock { $0.restoreEnds.append(nil) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, restoreCompletedTransactionsFailedWithError error: any Error
    ) {
        state.withLock { $0.restoreEnds.append((error as? SKError)?.code ?? .unknown) }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        state.withLock { $0.revoked.append(productIdentifiers) }
    }

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        state.withLock { $0.response = response }
    }

    func requestDidFinish(_ request: SKRequest) { state.withLock { $0.finishedRequests += 1 } }

    func request(_ request: SKRequest, didFailWithError error: any Error) { state.withLock { $0.failure = error } }
}

// swift-format-ignore-file
// Made by scripts/cut-listings of Frames/SampleApp.swift.frame and Blocks/S4. Change those.

import Dispatch
import Foundation
import StoreKitClient

/// UIKit's, as far as listing L13 needs it.
final class UIBarButtonItem {}

enum Messages {
    static let shown = Journal()

    static var deferred: String {
        shown.record("deferred")
        return "Allow the user to continue using your app."
    }
    static let failed = "The purchase failed: "
    static let unknownPaymentTransaction = "The transaction is in an unknown state."
}

protocol StoreObserverDelegate: AnyObject {
    func storeObserverDidReceiveMessage(_ message: String)
}

final class StoreManager: NSObject, @unchecked Sendable {
    static let shared = StoreManager()

    fileprivate var productRequest: SKProductsRequest!
    fileprivate(set) var availableProducts: [SKProduct] = []
    fileprivate(set) var invalidProductIdentifiers: [String] = []
    let finishedRequests = Journal()

var isAuthorizedForPayments: Bool {
    return SKPaymentQueue.canMakePayments()
}

    /// The document: "Once the app confirms authorization, it sends a products request".
    func startProductRequest(with identifiers: [String]) {
        guard isAuthorizedForPayments else { return }
        fetchProducts(matchingIdentifiers: identifiers)
    }

fileprivate func fetchProducts(matchingIdentifiers identifiers: [String]) {
    // Create a set for the product identifiers. 
    // 创建一个产品标识符的集合。
    let productIdentifiers = Set(identifiers)
    
    // Initialize the product request with the above identifiers. 
    // 使用上面的标识符初始化产品请求。
    productRequest = SKProductsRequest(productIdentifiers: productIdentifiers)
    productRequest.delegate = self
    
    // Send the request to the App Store.
    // 把请求发送给 App Store
    productRequest.start()
}
}

extension StoreManager: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
// products contains products whose identifiers have been recognized by the App Store. As such, they can be purchased.
// products 包含了已经被 App Store 识别了标识符的所有产品。因此，它们可以被购买。
if !response.products.isEmpty {
    availableProducts = response.products
}

// invalidProductIdentifiers contains all product identifiers not recognized by the App Store.
// invalidProductIdentifiers 包含了所有不可被 App Store 识别的产品。
if !response.invalidProductIdentifiers.isEmpty {
    invalidProductIdentifiers = response.invalidProductIdentifiers
}
    }

    func requestDidFinish(_ request: SKRequest) { finishedRequests.record("finished") }
    func request(_ request: SKRequest, didFailWithError error: Error) { finishedRequests.record("\(error)") }
}

extension SKProduct {
    /// - returns: The cost of the product formatted in the local currency.
    /// 返回：以当地货币格式化的产品价格。
    var regularPrice: String? {
        let formatter = NumberFormatter()
        formatter.numberStyle = .currency
        formatter.locale = self.priceLocale
        return formatter.string(from: self.price)
    }
}

final class StoreObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    static let shared = StoreObserver()

    weak var delegate: StoreObserverDelegate?
    let journal = Journal()
    let restores = Journal()
    let downloads = Journal()

    func buy(_ payment: SKPayment) { SKPaymentQueue.default().add(payment) }
    func restore() { SKPaymentQueue.default().restoreCompletedTransactions() }

func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
    for transaction in transactions {
        switch transaction.transactionState {
        case .purchasing: break
        // Do not block the UI. Allow the user to continue using the app.
        // 不要阻塞 UI。允许用户继续使用 app。
        case .deferred: print(Messages.deferred)
        // The purchase was successful.
        // 购买成功。
        case .purchased: handlePurchased(transaction)
        // The transaction failed.
        // 交易失败。
        case .failed: handleFailed(transaction)
        // There're restored products.
        // 这是已恢复的产品。
        case .restored: handleRestored(transaction)
        @unknown default: fatalError(Messages.unknownPaymentTransaction)
        }
    }
}

    func paymentQueueRestoreCompletedTransactionsFinished(_ queue: SKPaymentQueue) { restores.record("finished") }

    func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        journal.remove(transactions)
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedDownloads downloads: [SKDownload]) {
        for download in downloads { self.downloads.record(download.state == .finished ? "finished" : "under way") }
    }

    fileprivate func handlePurchased(_ transaction: SKPaymentTransaction) { journal.record([transaction]) }
    fileprivate func handleRestored(_ transaction: SKPaymentTransaction) { journal.record([transaction]) }

    fileprivate func handleFailed(_ transaction: SKPaymentTransaction) {
        let message = Messages.failed + transaction.payment.productIdentifier
        journal.record([transaction])
// Do not send any notifications when the user cancels the purchase.
// 当用户取消购买时，不要发送任何通知。
if (transaction.error as? SKError)?.code != .paymentCancelled {
    DispatchQueue.main.async {
        self.delegate?.storeObserverDidReceiveMessage(message)
    }
}
    }

    func finish(_ transaction: SKPaymentTransaction) {
// Finish the successful transaction.
// 完成成功的交易。
SKPaymentQueue.default().finishTransaction(transaction)
    }
}

final class ProductsViewController {
@IBAction func restore(_ sender: UIBarButtonItem) {
    // Calls StoreObserver to restore all restorable purchases.
    // 调用 StoreObserver 恢复所有可以恢复的购买。
    StoreObserver.shared.restore()
}
}

import StoreKit

// One import, as on Apple's platforms. Each argument is one thing to do; there is no store behind the address.

/// Says on which thread the answer came, and ends.
final class Delegate: NSObject, SKProductsRequestDelegate, @unchecked Sendable {
    let heard = DispatchSemaphore(value: 0)

    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {}

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        print(Thread.isMainThread ? "main" : "background")
        heard.signal()
    }
}

final class ClientObserver: NSObject, SKPaymentTransactionObserver {
    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            switch transaction.transactionState {
            case .purchasing, .deferred: break
            case .purchased, .failed, .restored: queue.finishTransaction(transaction)
            @unknown default: break
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue, shouldAddStorePayment payment: SKPayment, for product: SKProduct
    ) -> Bool { true }
}

func ask(_ delegate: Delegate) {
    let request = SKProductsRequest(productIdentifiers: ["com.example.app.a"])
    request.delegate = delegate
    request.start()
}

let delegate = Delegate()
let observer = ClientObserver()
switch CommandLine.arguments.dropFirst().first {
case "loop":
    // The main thread runs its run loop until the answer is there.
    ask(delegate)
    let timer = Timer(timeInterval: 0.01, repeats: true) { _ in
        if delegate.heard.wait(timeout: .now()) == .success { exit(0) }
    }
    RunLoop.main.add(timer, forMode: .default)
    RunLoop.main.run()
case "wait":
    // The main thread does nothing but wait.
    ask(delegate)
    delegate.heard.wait()
case "both":
    SKPaymentQueue.default().add(observer)
    _ = PurchaseIntent.intents.makeAsyncIterator()
case "observe":
    // With a store. A real app runs for hours like this.
    SKPaymentQueue.default().add(observer)
    sleep(5)
case "payment": SKPaymentQueue.default().add(SKPayment())
case "store": ask(delegate)
default: exit(64)
}

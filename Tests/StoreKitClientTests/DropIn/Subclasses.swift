import StoreKitClient

// What test suites of apps and wrappers make of StoreKit's classes. The overridden properties can be set, as mocks want
// it.

class MockProduct: SKProduct, @unchecked Sendable {
    var identifier = ""
    override init() { super.init() }
    init(identifier: String) {
        super.init()
        self.identifier = identifier
    }
    override var productIdentifier: String { identifier }
    override var localizedTitle: String { "Mock" }
    override var price: NSDecimalNumber { 2.5 }
    override var priceLocale: Locale { Locale(identifier: "en_US") }
    override var subscriptionPeriod: SKProductSubscriptionPeriod? { MockPeriod() }
    override var introductoryPrice: SKProductDiscount? { MockDiscount() }
    override var discounts: [SKProductDiscount] { [MockDiscount()] }
}

class MockPeriod: SKProductSubscriptionPeriod, @unchecked Sendable {
    override var numberOfUnits: Int { 3 }
    override var unit: SKProduct.PeriodUnit { .week }
}

class MockDiscount: SKProductDiscount, @unchecked Sendable {
    override var price: NSDecimalNumber { 1 }
    override var priceLocale: Locale { Locale(identifier: "en_US") }
    override var paymentMode: SKProductDiscount.PaymentMode { .payUpFront }
    override var subscriptionPeriod: SKProductSubscriptionPeriod { MockPeriod() }
    override var numberOfPeriods: Int { 1 }
}

class MockPayment: SKPayment, @unchecked Sendable {
    private let mockProduct: SKProduct
    init(of product: SKProduct) {
        mockProduct = product
        super.init()
    }
    override var productIdentifier: String { mockProduct.productIdentifier }
    override var quantity: Int { 2 }
    override var applicationUsername: String? { "" }
}

class MockTransaction: SKPaymentTransaction, @unchecked Sendable {
    private var mockState = SKPaymentTransactionState.purchasing
    override var transactionState: SKPaymentTransactionState {
        get { mockState }
        set { mockState = newValue }
    }
    override var payment: SKPayment { MockPayment(of: MockProduct(identifier: "mock")) }
    override var error: (any Error)? { SKError(.paymentCancelled) }
    override var transactionIdentifier: String? { "1" }
}

class MockQueue: SKPaymentQueue, @unchecked Sendable {
    var added: [SKPayment] = []
    var observers = 0
    override class func canMakePayments() -> Bool { false }
    override func add(_ payment: SKPayment) { added.append(payment) }
    override func add(_ observer: any SKPaymentTransactionObserver) { observers += 1 }
    override func remove(_ observer: any SKPaymentTransactionObserver) { observers -= 1 }
    override func finishTransaction(_ transaction: SKPaymentTransaction) {}
    override func restoreCompletedTransactions(withApplicationUsername username: String?) {}
    override var transactions: [SKPaymentTransaction] { [MockTransaction()] }
    override var storefront: SKStorefront? { MockStorefront() }
}

class MockStorefront: SKStorefront, @unchecked Sendable {
    override var countryCode: String { "USA" }
    override var identifier: String { "143441" }
}

class MockResponse: SKProductsResponse, @unchecked Sendable {
    override var products: [SKProduct] { [MockProduct(identifier: "mock")] }
    override var invalidProductIdentifiers: [String] { ["invalid"] }
}

class MockProductsRequest: SKProductsRequest, @unchecked Sendable {
    var asked: Set<String> = []
    override init(productIdentifiers: Set<String>) {
        super.init(productIdentifiers: productIdentifiers)
        asked = productIdentifiers
    }
    override func start() { delegate?.productsRequest(self, didReceive: MockResponse()) }
    override func cancel() {}
}

class MockReceiptRequest: SKReceiptRefreshRequest, @unchecked Sendable {
    override init(receiptProperties: [String: Any]? = nil) { super.init() }
    override var receiptProperties: [String: Any]? { ["a": 1] }
    override func start() { delegate?.requestDidFinish(self) }
}

class MockPromotionController: SKProductStorePromotionController, @unchecked Sendable {
    var shown: [SKProduct] = []
    override init() { super.init() }
    override func update(
        storePromotionOrder promotionOrder: [SKProduct], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        shown = promotionOrder
        completionHandler?(nil)
    }
}

class MockPaymentDiscount: SKPaymentDiscount, @unchecked Sendable {
    override var identifier: String { "summer" }
}

class MockDownload: SKDownload, @unchecked Sendable {
    override var state: SKDownloadState { .finished }
    override var progress: Float { 1 }
}

internal import StoreModels

/// Requests products and their prices by identifier.
///
/// ```swift
/// productRequest = SKProductsRequest(productIdentifiers: Set(identifiers))
/// productRequest.delegate = self
/// productRequest.start()
/// ```
/// The delegate receives either `productsRequest(_:didReceive:)` and then `requestDidFinish(_:)`, or
/// `request(_:didFailWithError:)`. A request is tried once: whether to retry is the app's decision.
open class SKProductsRequest: SKRequest, @unchecked Sendable {
    // Unchecked like its superclass; it adds a constant.
    private let productIdentifiers: Set<String>

    /// Creates a request for no products.
    public override init() {
        productIdentifiers = []
        super.init()
    }

    /// Creates a request to the store of the default queue.
    /// - Parameter productIdentifiers: At most 500. With more the request fails.
    public init(productIdentifiers: Set<String>) {
        self.productIdentifiers = productIdentifiers
        super.init()
    }

    /// Creates a request to the store of `queue`.
    public convenience init(productIdentifiers: Set<String>, queue: SKPaymentQueue) {
        self.init(productIdentifiers: productIdentifiers)
        self.queue = queue
    }

    /// The delegate, not retained.
    open var delegate: (any SKProductsRequestDelegate)? {
        get { listener as? any SKProductsRequestDelegate }
        set { listener = newValue }
    }

    override func send() -> Task<Void, Never>? {
        queue.core.products(productIdentifiers) { result in self.tell(result) }
    }

    /// Runs on the callback queue.
    private func tell(_ result: Result<SKProductsResponse, any Error>) {
        guard end() else { return }
        switch result {
        case .success(let response):
            delegate?.productsRequest(self, didReceive: response)
            // Not `delegate`: a delegate of another type may have been set through the superclass.
            listener?.requestDidFinish(self)
        case .failure(let error):
            listener?.request(self, didFailWithError: error)
        }
    }
}

/// Receives the store's response to a products request, before `requestDidFinish(_:)`.
public protocol SKProductsRequestDelegate: SKRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse)
}

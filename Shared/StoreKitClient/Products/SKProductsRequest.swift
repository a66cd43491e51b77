import Foundation
internal import StoreModels

/// Asks the store which of some identifiers can be bought, and for how much.
///
/// ```swift
/// productRequest = SKProductsRequest(productIdentifiers: Set(identifiers))
/// productRequest.delegate = self
/// productRequest.start()
/// ```
/// The delegate hears either `productsRequest(_:didReceive:)` and then `requestDidFinish(_:)`, or
/// `request(_:didFailWithError:)`. A request is tried once: whether to ask again is the app's decision.
public final class SKProductsRequest: SKRequest, @unchecked Sendable {
    // Unchecked as its superclass is: a constant, and a reference behind a lock.
    private let productIdentifiers: Set<String>
    private let listener = Locked(Listener())

    private struct Listener: Sendable {
        weak var delegate: (any SKProductsRequestDelegate)?
    }

    /// - Parameter productIdentifiers: At most 500; more is an error the delegate hears.
    public convenience init(productIdentifiers: Set<String>) {
        self.init(productIdentifiers: productIdentifiers, queue: .default())
    }

    /// Asks the store that `queue` speaks with.
    public init(productIdentifiers: Set<String>, queue: SKPaymentQueue) {
        self.productIdentifiers = productIdentifiers
        super.init(queue: queue)
    }

    /// Not retained.
    public var delegate: (any SKProductsRequestDelegate)? {
        get { listener.withLock { $0.delegate } }
        set { listener.withLock { $0.delegate = newValue } }
    }

    override func send() -> any RunningRequest {
        queue.core.products(productIdentifiers) { [weak self] result in self?.tell(result) }
    }

    /// Runs on the callback queue.
    private func tell(_ result: Result<SKProductsResponse, any Error>) {
        guard end() else { return }
        switch result {
        case .success(let response):
            delegate?.productsRequest(self, didReceive: response)
            delegate?.requestDidFinish(self)
        case .failure(let error):
            delegate?.request(self, didFailWithError: error)
        }
    }
}

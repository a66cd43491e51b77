import Foundation
import StoreKitClient

protocol StoreManagerDelegate: AnyObject {
    func storeManagerDidReceiveResponse()
    func storeManagerDidReceiveMessage(_ message: String)
}

/// Requests products from the store.
///
/// Unchecked: it is used on the main queue only, which is the connection's callback target.
final class StoreManager: NSObject, @unchecked Sendable {
    static let shared = StoreManager()

    weak var delegate: (any StoreManagerDelegate)?
    /// The products, in the order of the requested identifiers.
    fileprivate(set) var availableProducts: [SKProduct] = []
    fileprivate(set) var invalidProductIdentifiers: [String] = []
    fileprivate var identifiers: [String] = []
    /// The running request, kept as Apple requires.
    fileprivate var productRequest: SKProductsRequest?

    var isAuthorizedForPayments: Bool {
        return SKPaymentQueue.canMakePayments()
    }

    /// Checks that the customer may pay, then requests products.
    func startProductRequest(with identifiers: [String]) {
        guard isAuthorizedForPayments else {
            delegate?.storeManagerDidReceiveMessage(Messages.cannotMakePayments)
            return
        }
        self.identifiers = identifiers
        fetchProducts(matchingIdentifiers: identifiers)
    }

    fileprivate func fetchProducts(matchingIdentifiers identifiers: [String]) {
        let request = SKProductsRequest(productIdentifiers: Set(identifiers))
        productRequest = request
        request.delegate = self
        request.start()
    }

    /// Returns a product's title, or its identifier for an unknown product.
    func title(matchingIdentifier identifier: String) -> String {
        availableProducts.first { $0.productIdentifier == identifier }?.localizedTitle ?? identifier
    }
}

extension StoreManager: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        let order = identifiers
        availableProducts = response.products.sorted { one, other in
            (order.firstIndex(of: one.productIdentifier) ?? 0) < (order.firstIndex(of: other.productIdentifier) ?? 0)
        }
        invalidProductIdentifiers = order.filter { response.invalidProductIdentifiers.contains($0) }
        delegate?.storeManagerDidReceiveResponse()
    }

    func request(_ request: SKRequest, didFailWithError error: any Error) {
        delegate?.storeManagerDidReceiveMessage(Messages.notAvailable(error.localizedDescription))
    }
}

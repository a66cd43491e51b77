import Foundation
import StoreKitClient

/// Listings L7 to L9: what is for sale, asked for as the sample app of the documents does.
///
/// Unchecked, as an app moving to Swift 6 begins: `productRequest` is set by one thread before the callback queue reads
/// the two lists.
final class StoreManager: NSObject, @unchecked Sendable {
    static let shared = StoreManager()

    fileprivate var productRequest: SKProductsRequest?
    fileprivate(set) var availableProducts: [SKProduct] = []
    fileprivate(set) var invalidProductIdentifiers: [String] = []
    /// Called when the lists have been filled.
    var didRefresh: (@Sendable () -> Void)?

    var isAuthorizedForPayments: Bool {
        return SKPaymentQueue.canMakePayments()
    }

    /// M15: the customer's permission first, then the store.
    func startProductRequest(with identifiers: [String]) {
        guard isAuthorizedForPayments else { return }
        fetchProducts(matchingIdentifiers: identifiers)
    }

    fileprivate func fetchProducts(matchingIdentifiers identifiers: [String]) {
        let productIdentifiers = Set(identifiers)
        let productRequest = SKProductsRequest(productIdentifiers: productIdentifiers)
        self.productRequest = productRequest
        productRequest.delegate = self
        productRequest.start()
    }
}

extension StoreManager: SKProductsRequestDelegate {
    func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) {
        if !response.products.isEmpty {
            availableProducts = response.products
        }
        if !response.invalidProductIdentifiers.isEmpty {
            invalidProductIdentifiers = response.invalidProductIdentifiers
        }
    }

    func requestDidFinish(_ request: SKRequest) { didRefresh?() }
}

internal import StoreHTTP
internal import StoreModels

/// Sets which promoted products this device shows in the store, and in which order.
///
/// ```swift
/// let storePromotionController = SKProductStorePromotionController.default()
/// storePromotionController.update(storePromotionVisibility: .hide, for: proSubscription)
/// storePromotionController.update(storePromotionOrder: [hiddenBeaches, proSubscription])
/// ```
/// A setting applies to this app on this device only, and remains until the app is deleted. The store accepts it after
/// the app was launched on the device, which using the queue does. Calls of one queue run one after the other, so the
/// last one wins and a fetch sees every update before it. Completion handlers are called on the callback queue.
///
/// An error is a `URLError` when the store could not be reached, or an ``SKError``. The latter is `unsupportedPlatform`
/// if a device has no promotions, else `unknown` with an underlying ``StoreProblem``. Apple has deprecated this type.
/// The name stays for the code that uses it.
open class SKProductStorePromotionController: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: its only property is a constant.
    private struct ProductVisibility: JSONForm, Decodable {
        typealias Body = VisibilityResponse<StoreModels.Product>

        let visibility: StorePromotionVisibility
    }

    private let queue: SKPaymentQueue

    private static let shared = SKProductStorePromotionController()

    open class func `default`() -> SKProductStorePromotionController { shared }

    /// Creates a controller for the app and device of the default queue.
    public override init() {
        queue = .default()
        super.init()
    }

    /// Creates a controller for the app and device of `queue`.
    public init(queue: SKPaymentQueue) { self.queue = queue }

    // MARK: Visibility

    /// Fetches this device's setting for a product, or `.default` without one.
    open func fetchStorePromotionVisibility(
        for product: SKProduct,
        completionHandler: (@Sendable (SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        queue.core.override { call -> SKProductStorePromotionVisibility in
            SKProductStorePromotionVisibility(try await Self.visibility(of: product.productIdentifier, by: call))
        } then: { result in
            completionHandler?((try? result.get()) ?? .default, result.error)
        }
    }

    /// Shows or hides a product on this device. `.default` leaves it to the operator again.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        queue.core.override { call in
            try await Self.put(promotionVisibility.model, of: product.productIdentifier, by: call)
        } then: { result in
            completionHandler?(result.error)
        }
    }

    // MARK: Order

    /// Fetches the products whose order this device has set, in that order. Empty if it has set none.
    open func fetchStorePromotionOrder(
        completionHandler: (@Sendable ([SKProduct], (any Error)?) -> Void)? = nil
    ) {
        queue.core.override { call -> [SKProduct] in
            let response = try await call.gateway.send(HTTPCall(PromotionRoutes.order)).checked()
            let reply = try response.body(of: PromotionRoutes.order)
            // Without products that the catalogue no longer has.
            let products = Dictionary(reply.products.map { ($0.productIdentifier, $0) }) { first, _ in first }
            return reply.productIdentifiers.compactMap { products[$0] }.map { SKProduct($0) }
        } then: { result in
            completionHandler?((try? result.get()) ?? [], result.error)
        }
    }

    /// Puts products first, in the array's order. The others keep the operator's order. An empty array removes the
    /// setting.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        queue.core.override { call in
            try await Self.put(order: promotionOrder.map(\.productIdentifier), by: call)
        } then: { result in
            completionHandler?(result.error)
        }
    }
}

/// The requests, which ``Product/PromotionInfo`` makes too.
extension SKProductStorePromotionController {
    static func visibility(of product: String, by call: RepeatedCall) async throws -> StorePromotionVisibility {
        let request = HTTPCall(PromotionRoutes.visibility, [.productIdentifier: product])
        return try await call.gateway.send(request).checked()
            .body(of: PromotionRoutes.visibility, as: ProductVisibility.self).visibility
    }

    static func put(_ visibility: StorePromotionVisibility, of product: String, by call: RepeatedCall) async throws {
        try await call.send(
            HTTPCall(
                PromotionRoutes.putVisibility, [.productIdentifier: product],
                body: NewVisibility(visibility: visibility)))
    }

    static func put(order: [String], by call: RepeatedCall) async throws {
        try await call.send(HTTPCall(PromotionRoutes.putOrder, body: NewOrder(productIdentifiers: order)))
    }
}

extension Result {
    fileprivate var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// The async forms of the methods with completion handlers, as Swift imports them.
extension SKProductStorePromotionController {
    public func fetchStorePromotionVisibility(
        for product: SKProduct
    ) async throws -> SKProductStorePromotionVisibility {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionVisibility(for: product) { visibility, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(visibility))
            }
        }
    }

    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct
    ) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionVisibility: promotionVisibility, for: product) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    public func fetchStorePromotionOrder() async throws -> [SKProduct] {
        try await withCheckedThrowingContinuation { continuation in
            fetchStorePromotionOrder { products, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(products))
            }
        }
    }

    public func update(storePromotionOrder promotionOrder: [SKProduct]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            update(storePromotionOrder: promotionOrder) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }
}

/// The method names of earlier SDKs, as in the listings of Apple's articles.
extension SKProductStorePromotionController {
    public func fetchStorePromotionVisibility(
        forProduct product: SKProduct,
        completionHandler: (@Sendable (SKProductStorePromotionVisibility, (any Error)?) -> Void)? = nil
    ) {
        fetchStorePromotionVisibility(for: product, completionHandler: completionHandler)
    }

    public func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, forProduct product: SKProduct,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        update(storePromotionVisibility: promotionVisibility, for: product, completionHandler: completionHandler)
    }

    public func updateStorePromotionOrder(
        _ promotionOrder: [SKProduct], completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        update(storePromotionOrder: promotionOrder, completionHandler: completionHandler)
    }

    /// The method with the misspelled label of an Apple article.
    public func fetchStorePromotionOrder(
        completionHander completionHandler: @escaping @Sendable ([SKProduct], (any Error)?) -> Void
    ) {
        fetchStorePromotionOrder(completionHandler: completionHandler)
    }
}

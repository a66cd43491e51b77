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
        let call = OverrideCall(core.call)
        core.override {
            await call.visibility(of: product.productIdentifier)
        } then: { result in
            switch result {
            case .success(let visibility): completionHandler?(visibility, nil)
            case .failure(let error): completionHandler?(.default, error)
            }
        }
    }

    /// Shows or hides a product on this device. `.default` leaves it to the operator again.
    open func update(
        storePromotionVisibility promotionVisibility: SKProductStorePromotionVisibility, for product: SKProduct,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let call = OverrideCall(core.call)
        core.override {
            await call.set(promotionVisibility, of: product.productIdentifier)
        } then: { result in
            completionHandler?(result.error)
        }
    }

    // MARK: Order

    /// Fetches the products whose order this device has set, in that order. Empty if it has set none.
    open func fetchStorePromotionOrder(
        completionHandler: (@Sendable ([SKProduct], (any Error)?) -> Void)? = nil
    ) {
        let call = OverrideCall(core.call)
        core.override {
            await call.order()
        } then: { result in
            switch result {
            case .success(let products): completionHandler?(products, nil)
            case .failure(let error): completionHandler?([], error)
            }
        }
    }

    /// Puts products first, in the array's order. The others keep the operator's order. An empty array removes the
    /// setting.
    open func update(
        storePromotionOrder promotionOrder: [SKProduct],
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        let call = OverrideCall(core.call)
        core.override {
            await call.set(order: promotionOrder.map(\.productIdentifier))
        } then: { result in
            completionHandler?(result.error)
        }
    }

    private var core: QueueCore { queue.core }
}

extension Result {
    fileprivate var error: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// Provides information the queue needs to complete transactions. Called on the callback queue (``SKPaymentQueue``).
///
/// Both methods are optional; the default answer is `true`.
public protocol SKPaymentQueueDelegate: NSObjectProtocol {
    /// The customer's storefront changed during a purchase.
    /// - Returns: Whether the purchase continues there; `false` fails it with `storeProductNotAvailable`, uncharged.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// A subscription's price has risen and the customer has not agreed yet.
    /// - Returns: Whether the store shows the consent immediately; `false` leaves it to `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}

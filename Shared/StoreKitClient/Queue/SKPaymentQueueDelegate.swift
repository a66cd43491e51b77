/// Answers the questions of the queue during a purchase. The methods are called on the callback queue
/// (``SKPaymentQueue``).
///
/// Both methods are optional. They return `true` by default.
public protocol SKPaymentQueueDelegate: NSObjectProtocol {
    /// Decides whether a purchase continues after the customer's storefront has changed.
    /// - Returns: Whether the purchase continues in the new storefront. `false` fails it with
    ///   `storeProductNotAvailable`, uncharged.
    func paymentQueue(
        _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool

    /// Decides whether the store shows the consent to a higher subscription price.
    /// - Returns: Whether the store shows the consent immediately. `false` leaves it to `showPriceConsentIfNeeded()`.
    func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool
}

extension SKPaymentQueueDelegate {
    public func paymentQueue(
        _ paymentQueue: SKPaymentQueue, shouldContinue transaction: SKPaymentTransaction,
        in newStorefront: SKStorefront
    ) -> Bool { true }

    public func paymentQueueShouldShowPriceConsent(_ paymentQueue: SKPaymentQueue) -> Bool { true }
}

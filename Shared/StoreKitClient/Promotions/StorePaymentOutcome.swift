/// The return type of an observer's `shouldAddStorePayment`, which is `Bool`. Apps add no other conformance.
public protocol StorePaymentOutcome: Sendable {}

extension Bool: StorePaymentOutcome {}

/// The return type of `shouldAddStorePayment` in an observer that does not implement it. By this type the queue knows
/// in advance that the observer does not handle promoted purchases (M69, M75). Only this library can make a value.
public struct NoStorePaymentOutcome: StorePaymentOutcome {
    init() {}
}

extension SKPaymentTransactionObserver {
    /// Whether the observer implements `shouldAddStorePayment`, in either spelling.
    static var handlesStorePayments: Bool {
        StorePaymentDecision.self == Bool.self || OlderStorePaymentDecision.self == Bool.self
    }

    /// Asks the observer about a purchase intent.
    /// - Returns: Whether to continue. False if the observer implements neither method.
    func shouldAdd(_ payment: SKPayment, for product: SKProduct, to queue: SKPaymentQueue) -> Bool {
        let decision = paymentQueue(queue, shouldAddStorePayment: payment, for: product)
        if let decision = decision as? Bool { return decision }
        return paymentQueue(queue, shouldAddStorePayment: payment, forProduct: product) as? Bool ?? false
    }
}

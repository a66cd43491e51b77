/// The return type of an observer's `shouldAddStorePayment`: `Bool`. Apps add no other conformance.
public protocol StorePaymentAnswer: Sendable {}

extension Bool: StorePaymentAnswer {}

/// The return value of the method when an observer does not implement it. Only this library can make one. Its type
/// alone tells the queue, before an observer is asked, that the app does not handle promoted purchases (M69, M75).
public struct NoStorePaymentAnswer: StorePaymentAnswer {
    init() {}
}

extension SKPaymentTransactionObserver {
    /// Whether the observer has the method, in either spelling.
    static var handlesStorePayments: Bool {
        StorePaymentDecision.self == Bool.self || OlderStorePaymentDecision.self == Bool.self
    }

    /// - Returns: Whether to continue; false when the observer implements neither method.
    func shouldAdd(_ payment: SKPayment, for product: SKProduct, to queue: SKPaymentQueue) -> Bool {
        let answer = paymentQueue(queue, shouldAddStorePayment: payment, for: product)
        if let answer = answer as? Bool { return answer }
        return paymentQueue(queue, shouldAddStorePayment: payment, forProduct: product) as? Bool ?? false
    }
}

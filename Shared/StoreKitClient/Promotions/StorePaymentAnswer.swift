/// What an observer's `shouldAddStorePayment` returns: `Bool`. No other type is meant to be an answer.
public protocol StorePaymentAnswer: Sendable {}

extension Bool: StorePaymentAnswer {}

/// What the method returns that an observer has left out. Nobody else can make one, so its type alone tells the queue,
/// before anybody is asked, that the app does not handle promoted purchases (M69, M75).
public struct NoStorePaymentAnswer: StorePaymentAnswer {
    init() {}
}

extension SKPaymentTransactionObserver {
    /// Whether the observer has the method, in either spelling.
    static var handlesStorePayments: Bool {
        StorePaymentDecision.self == Bool.self || OlderStorePaymentDecision.self == Bool.self
    }

    /// - Returns: Whether to continue; false when there is nobody who could say so.
    func shouldAdd(_ payment: SKPayment, for product: SKProduct, to queue: SKPaymentQueue) -> Bool {
        let answer = paymentQueue(queue, shouldAddStorePayment: payment, for: product)
        if let answer = answer as? Bool { return answer }
        return paymentQueue(queue, shouldAddStorePayment: payment, forProduct: product) as? Bool ?? false
    }
}

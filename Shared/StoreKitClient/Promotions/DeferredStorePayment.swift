internal import StoreModels

/// A deferred purchase that began in the store and can still be made. StoreKit has no such type, so an app that has
/// ended has lost the payment it saved.
///
/// ```swift
/// for deferred in try await SKPaymentQueue.default().deferredStorePayments() {
///     SKPaymentQueue.default().add(deferred.payment)
/// }
/// ```
public struct DeferredStorePayment: Sendable {
    /// The payment that `shouldAddStorePayment` received.
    public let payment: SKPayment
    /// The product, with its price and texts.
    public let product: SKProduct
    /// The time at which it expires, by the store's clock.
    public let expirationDate: Date

    init(_ model: StorePurchaseIntent) {
        payment = SKPayment(PaymentFields(promoted: model))
        product = SKProduct(model.product)
        expirationDate = model.expiresAt.date
    }
}

import Foundation
internal import StoreModels

/// A purchase that began in the store, was deferred and can still be made. An addition of this library: an app that was
/// ended has lost the payment it saved.
///
/// ```swift
/// for deferred in try await SKPaymentQueue.default().deferredStorePayments() {
///     SKPaymentQueue.default().add(deferred.payment)
/// }
/// ```
public struct DeferredStorePayment: Sendable {
    /// The payment `shouldAddStorePayment` was asked about.
    public let payment: SKPayment
    public let product: SKProduct
    /// The time at which it expires, by the store's clock.
    public let expirationDate: Date

    init(_ model: StoreModels.PurchaseIntent) {
        payment = SKPayment(PaymentFields(promoted: model))
        product = SKProduct(model.product)
        expirationDate = model.expiresAt.date
    }
}

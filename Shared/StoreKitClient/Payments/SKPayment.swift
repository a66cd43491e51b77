import Foundation
internal import StoreModels

/// What the customer wants to buy.
///
/// ```swift
/// SKPaymentQueue.default().add(SKPayment(product: product))
/// ```
/// Adding the same payment twice is two transactions and two charges, as in StoreKit. One that the store gave to
/// `shouldAddStorePayment` is charged once: the second time is a failed transaction.
public class SKPayment: NSObject, @unchecked Sendable {
    // Unchecked, because a class with subclasses cannot be checked: its only property is locked.
    fileprivate let locked: Locked<PaymentFields>

    init(_ fields: PaymentFields) { locked = Locked(fields) }

    public convenience init(product: SKProduct) {
        self.init(PaymentFields(productIdentifier: product.productIdentifier))
    }

    var fields: PaymentFields { locked.withLock { $0 } }

    public var productIdentifier: String { fields.productIdentifier }
    /// 1…10; 1 unless a mutable payment says otherwise.
    public var quantity: Int { fields.quantity }
    /// Which of the app's own accounts it is for; comes back with the transaction.
    public var applicationUsername: String? { fields.applicationUsername }
    /// Asks the sandbox to let somebody approve it first: the transaction becomes `.deferred`.
    public var simulatesAskToBuyInSandbox: Bool { fields.simulatesAskToBuyInSandbox }
    public var paymentDiscount: SKPaymentDiscount? { fields.paymentDiscount }

    /// Two payments are equal when they say the same.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SKPayment)?.fields.visible == fields.visible }
    public override var hash: Int { fields.visible.hashValue }
}

/// A payment that can be changed until it is added: the queue takes a copy.
///
/// ```swift
/// let payment = SKMutablePayment(product: product)
/// payment.quantity = 3
/// ```
public final class SKMutablePayment: SKPayment, @unchecked Sendable {
    // Unchecked as its superclass is; it adds no property.

    /// A payment for nothing yet.
    public convenience init() { self.init(PaymentFields(productIdentifier: "")) }

    public override var productIdentifier: String {
        get { fields.productIdentifier }
        set { locked.withLock { $0.productIdentifier = newValue } }
    }
    public override var quantity: Int {
        get { fields.quantity }
        set { locked.withLock { $0.quantity = newValue } }
    }
    public override var applicationUsername: String? {
        get { fields.applicationUsername }
        set { locked.withLock { $0.applicationUsername = newValue } }
    }
    public override var simulatesAskToBuyInSandbox: Bool {
        get { fields.simulatesAskToBuyInSandbox }
        set { locked.withLock { $0.simulatesAskToBuyInSandbox = newValue } }
    }
    public override var paymentDiscount: SKPaymentDiscount? {
        get { fields.paymentDiscount }
        set { locked.withLock { $0.paymentDiscount = newValue } }
    }
}

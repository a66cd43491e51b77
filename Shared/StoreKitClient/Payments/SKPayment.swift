internal import StoreModels

/// The product and quantity that the customer wants to buy.
///
/// ```swift
/// SKPaymentQueue.default().add(SKPayment(product: product))
/// ```
/// Adding the same payment twice makes two transactions and two charges, as in StoreKit. A payment passed to
/// `shouldAddStorePayment` is charged once: adding it a second time makes a failed transaction.
open class SKPayment: NSObject, NSCopying, NSMutableCopying, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: its only property is behind a lock.
    fileprivate let locked = LockedValue(PaymentFields(productIdentifier: ""))

    /// An empty payment.
    public override init() { super.init() }

    convenience init(_ fields: PaymentFields) {
        self.init()
        locked.withLock { $0 = fields }
    }

    /// Creates a payment for one piece of a product.
    public convenience init(product: SKProduct) {
        self.init()
        locked.withLock { $0.productIdentifier = product.productIdentifier }
    }

    var fields: PaymentFields { locked.withLock { $0 } }

    /// The product's identifier. Empty for an empty payment, which cannot be added.
    open var productIdentifier: String { fields.productIdentifier }
    /// The quantity, 1…10. It is 1 unless a mutable payment sets another.
    open var quantity: Int { fields.quantity }
    /// The app's own account for the purchase, returned with the transaction. An empty string means none.
    open var applicationUsername: String? { fields.applicationUsername }
    /// Simulates Ask to Buy in the sandbox: the transaction becomes `.deferred` until it is approved.
    open var simulatesAskToBuyInSandbox: Bool { fields.simulatesAskToBuyInSandbox }
    /// The signed promotional offer. Nil for the regular price or the introductory offer.
    open var paymentDiscount: SKPaymentDiscount? { fields.paymentDiscount }
    /// Reserved: a payment with data is refused, as by StoreKit.
    open var requestData: Data? { fields.requestData }

    /// - Returns: An immutable `SKPayment` with the same values.
    open func copy(with zone: NSZone? = nil) -> Any { SKPayment(fields) }

    /// - Returns: An ``SKMutablePayment`` with the same values.
    open func mutableCopy(with zone: NSZone? = nil) -> Any { SKMutablePayment(fields) }

    /// Compares all values. An empty payment equals only itself.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SKPayment, !fields.productIdentifier.isEmpty else { return super.isEqual(object) }
        return other.fields.visible == fields.visible
    }
    open override var hash: Int { fields.productIdentifier.isEmpty ? super.hash : fields.visible.hashValue }
}

/// A payment that can be changed until it is added: the queue takes a copy.
///
/// ```swift
/// let payment = SKMutablePayment(product: product)
/// payment.quantity = 3
/// ```
open class SKMutablePayment: SKPayment, @unchecked Sendable {
    // Unchecked like its superclass; it adds no property.

    /// An empty payment.
    public override init() { super.init() }

    open override var productIdentifier: String {
        get { fields.productIdentifier }
        set { locked.withLock { $0.productIdentifier = newValue } }
    }
    open override var quantity: Int {
        get { fields.quantity }
        set { locked.withLock { $0.quantity = newValue } }
    }
    open override var applicationUsername: String? {
        get { fields.applicationUsername }
        set { locked.withLock { $0.applicationUsername = newValue } }
    }
    open override var simulatesAskToBuyInSandbox: Bool {
        get { fields.simulatesAskToBuyInSandbox }
        set { locked.withLock { $0.simulatesAskToBuyInSandbox = newValue } }
    }
    open override var paymentDiscount: SKPaymentDiscount? {
        get { fields.paymentDiscount }
        set { locked.withLock { $0.paymentDiscount = newValue } }
    }
    open override var requestData: Data? {
        get { fields.requestData }
        set { locked.withLock { $0.requestData = newValue } }
    }
}

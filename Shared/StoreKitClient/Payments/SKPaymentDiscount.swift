internal import StoreModels

/// A promotional offer that the app's server has signed.
open class SKPaymentDiscount: NSObject, @unchecked Sendable {
    // Unchecked, because an open class cannot be checked: the model is set once, before the object is shared.
    private var model: PaymentDiscount?

    /// Creates an empty discount, for subclasses in an app's tests.
    public override init() { super.init() }

    /// - Parameters:
    ///   - identifier: The offer's identifier.
    ///   - keyIdentifier: The identifier of the signing key.
    ///   - nonce: A value that is accepted once.
    ///   - signature: The signature in Base64.
    ///   - timestamp: The signing time, in milliseconds since 1970.
    public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber) {
        model = PaymentDiscount(
            identifier: identifier, keyIdentifier: keyIdentifier, nonce: nonce.uuidString.lowercased(),
            signature: signature, timestamp: timestamp.int64Value)
    }

    convenience init(_ model: PaymentDiscount) {
        self.init()
        self.model = model
    }

    /// The offer's identifier.
    open var identifier: String { model?.identifier ?? "" }
    /// The identifier of the signing key.
    open var keyIdentifier: String { model?.keyIdentifier ?? "" }
    /// The nonce, accepted once. The zero UUID if the stored text is not a UUID.
    open var nonce: UUID {
        model.flatMap { UUID(uuidString: $0.nonce) } ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    /// The signature in Base64.
    open var signature: String { model?.signature ?? "" }
    /// The signing time, in milliseconds since 1970.
    open var timestamp: NSNumber { NSNumber(value: model?.timestamp ?? 0) }

    /// The wire form, read from the properties, which a subclass may have overridden.
    var wire: PaymentDiscount {
        PaymentDiscount(
            identifier: identifier, keyIdentifier: keyIdentifier, nonce: nonce.uuidString.lowercased(),
            signature: signature, timestamp: timestamp.int64Value)
    }

    open override func isEqual(_ object: Any?) -> Bool {
        guard let model, let other = object as? SKPaymentDiscount else { return super.isEqual(object) }
        return other.model == model
    }
    open override var hash: Int { model?.hashValue ?? super.hash }
}

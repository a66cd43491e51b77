/// The offer a transaction was bought with: `{"type":"introductory","paymentMode":"freeTrial"}`.
public struct AppliedOffer: Hashable, Sendable, Codable {
    public var type: ProductDiscount.Kind
    public var paymentMode: ProductDiscount.PaymentMode
    /// Absent for the introductory offer.
    public var identifier: String?

    public init(type: ProductDiscount.Kind, paymentMode: ProductDiscount.PaymentMode, identifier: String? = nil) {
        self.type = type
        self.paymentMode = paymentMode
        self.identifier = identifier
    }
}

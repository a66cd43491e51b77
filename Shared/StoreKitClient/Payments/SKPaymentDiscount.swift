import Foundation
internal import StoreModels

/// A promotional offer that the app's server has signed.
public final class SKPaymentDiscount: NSObject, Sendable {
    let model: PaymentDiscount

    /// - Parameters:
    ///   - identifier: The offer's.
    ///   - keyIdentifier: Of the key the signature was made with.
    ///   - nonce: Counts once.
    ///   - signature: Base64.
    ///   - timestamp: Milliseconds since 1970.
    public init(identifier: String, keyIdentifier: String, nonce: UUID, signature: String, timestamp: NSNumber) {
        model = PaymentDiscount(
            identifier: identifier, keyIdentifier: keyIdentifier, nonce: nonce.uuidString.lowercased(),
            signature: signature, timestamp: timestamp.int64Value)
    }

    init(_ model: PaymentDiscount) { self.model = model }

    public var identifier: String { model.identifier }
    public var keyIdentifier: String { model.keyIdentifier }
    /// The zero UUID when the store keeps a text that is none.
    public var nonce: UUID {
        UUID(uuidString: model.nonce) ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    }
    public var signature: String { model.signature }
    public var timestamp: NSNumber { NSNumber(value: model.timestamp) }

    public override func isEqual(_ object: Any?) -> Bool { (object as? SKPaymentDiscount)?.model == model }
    public override var hash: Int { model.hashValue }
}

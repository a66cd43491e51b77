import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The `paymentDiscount` of a payment as an app sends it, with whatever it has left out: what is missing is not a wrong
/// request but a payment that fails with `missingOfferParams`, as StoreKit's does.
struct DiscountParts: Decodable {
    var identifier: String?
    var keyIdentifier: String?
    var nonce: String?
    var signature: String?
    var timestamp: Int64?

    /// More than any signature has: in DER one on P-256 is at most 72 bytes, 96 characters of Base64.
    static let signatureLengthMax = 256

    /// Checks what cannot be stored. Empty text counts as missing.
    /// - Throws: `requestInvalid`.
    func validate(at place: String) throws(StoreError) {
        let texts = [("identifier", identifier), ("keyIdentifier", keyIdentifier), ("nonce", nonce)]
        for (name, text) in texts where text?.isEmpty == false {
            try Identifier.check(text ?? "", at: "\(place).\(name)")
        }
        if let signature, !signature.isEmpty {
            try Identifier.check(signature, at: "\(place).signature", lengthMax: Self.signatureLengthMax)
        }
    }

    /// Whether every part is there and of its kind: the nonce a UUID, the timestamp a time.
    var isComplete: Bool {
        [identifier, keyIdentifier, nonce, signature].allSatisfy { $0?.isEmpty == false }
            && nonce.flatMap(UUID.init(uuidString:)) != nil && (timestamp ?? 0) > 0
    }

    /// As the payment keeps it: empty text and 0 stand for what is missing, and a nonce is in lower case, as it was
    /// signed, so that it is recognised however it is written.
    var discount: PaymentDiscount {
        PaymentDiscount(
            identifier: identifier ?? "", keyIdentifier: keyIdentifier ?? "", nonce: nonce?.lowercased() ?? "",
            signature: signature ?? "", timestamp: timestamp ?? 0)
    }
}

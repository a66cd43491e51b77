import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiscountParts {
    /// Maximum length of a signature in Base64. One on P-256 in DER has at most 72 bytes, 96 characters.
    static let signatureLengthMax = 256

    /// Rejects values that cannot be stored. Empty text counts as missing.
    /// - Throws: `requestInvalid`.
    func validate(at path: String) throws(StoreError) {
        let texts = [("identifier", identifier), ("keyIdentifier", keyIdentifier), ("nonce", nonce)]
        for (name, text) in texts where text?.isEmpty == false {
            try Identifier.check(text ?? "", at: "\(path).\(name)")
        }
        if let signature, !signature.isEmpty {
            try Identifier.check(signature, at: "\(path).signature", lengthMax: Self.signatureLengthMax)
        }
    }

    /// Whether every part is present and well-formed: the nonce a UUID, the timestamp positive.
    var isComplete: Bool {
        [identifier, keyIdentifier, nonce, signature].allSatisfy { $0?.isEmpty == false }
            && nonce.flatMap(UUID.init(uuidString:)) != nil && (timestamp ?? 0) > 0
    }

    /// The discount as the payment keeps it. Empty text and 0 replace missing parts. The nonce is in lower case, as it
    /// was signed, so that a repeated nonce is recognised in any spelling.
    var discount: PaymentDiscount {
        PaymentDiscount(
            identifier: identifier ?? "", keyIdentifier: keyIdentifier ?? "", nonce: nonce?.lowercased() ?? "",
            signature: signature ?? "", timestamp: timestamp ?? 0)
    }
}

/// The gateway's verdict on a promotional offer's signature.
public enum DiscountCheck: String, CaseIterable, Sendable, Codable {
    case valid
    /// No such key, or the signature is not that key's: error 12, `invalidSignature`.
    case invalidSignature
    /// A part of the discount is missing or malformed: error 13, `missingOfferParams`.
    case missingParameters
}

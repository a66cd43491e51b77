/// The gateway's verdict on a promotional offer's signature.
public enum DiscountCheck: String, CaseIterable, Sendable, Codable {
    case valid
    /// A part of the discount is missing or malformed: error 13, `missingOfferParams`.
    case missingParameters

    // Each of the others is error 12, `invalidSignature`, and its name the error's reason.

    /// The app has no key of this identifier.
    case keyUnknown
    /// The key is of a kind that does not sign offers.
    case keyOfOtherKind
    /// The key belongs to another app.
    case keyOfOtherApp
    /// The timestamp is older than a day, or in the future.
    case signatureOutdated
    /// The signature is not DER in Base64, or the JWS is none of ES256.
    case signatureMalformed
    /// The key has signed the offer without the payment's user.
    case signatureOfOtherUser
    /// The key has not signed these parts.
    case invalidSignature
    /// The JWS is for another use, issuer, app, product, offer or customer.
    case tokenOfOtherPurchase

    /// The error of a payment with this verdict, or nil for a valid signature.
    public var error: TransactionError? {
        switch self {
        case .valid: nil
        case .missingParameters: TransactionError(.missingOfferParams, "A part of the offer's signature is missing.")
        case .keyUnknown: refused("the app has no key of this identifier")
        case .keyOfOtherKind: refused("a key of this kind signs no offers")
        case .keyOfOtherApp: refused("the key belongs to another app")
        case .signatureOutdated: refused("its timestamp is not of the last 24 hours by the store's machine")
        case .signatureMalformed: refused("it is neither DER in Base64 nor a JWS of ES256")
        case .signatureOfOtherUser: refused("it was made without the payment's applicationUsername")
        case .tokenOfOtherPurchase:
            refused("its claims are of another audience, issuer, app, product, offer or customer")
        case .invalidSignature:
            refused("the key has not signed this app, product, offer, user, nonce and timestamp")
        }
    }

    private func refused(_ cause: String) -> TransactionError {
        TransactionError(.invalidSignature, "The offer's signature is not valid: \(cause).", reason: rawValue)
    }
}

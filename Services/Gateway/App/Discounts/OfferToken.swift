import Cryptography
import FoundationEssentials
import Signing
import StoreModels

/// A JWS that an app's server has signed for a purchase, as in Apple's "Generating JWS to sign App Store requests".
///
/// It is ES256 by an In-App Purchase key of the app. `kid` names the key.
struct OfferToken {
    /// The use that a token is for, its `aud`.
    enum Audience: String {
        case promotionalOffer = "promotional-offer"
        case introductoryOffer = "introductory-offer-eligibility"
    }

    private struct Claims: Decodable {
        var iss: String?
        var iat: Double?
        var aud: String?
        var bid: String?
        var nonce: String?
        var productId: String?
        var offerIdentifier: String?
        var transactionId: String?
        var allowIntroductoryOffer: Bool?
    }

    /// The purchase that a token has to be for.
    struct Purchase {
        /// The store's issuer.
        var issuerId: String
        /// The app, as its server knows it.
        var bundleId: String
        var productIdentifier: String
        /// Nil for an introductory offer.
        var offerIdentifier: String?
    }

    private let jws: AppServerJWS
    private let claims: Claims

    /// Reads a token without checking it.
    /// - Returns: Nil for text that is no JWS of ES256 with claims in strict JSON.
    init?(_ text: String) {
        guard let jws = AppServerJWS(text), let claims = try? StoreJSON.decode(Claims.self, from: jws.payload) else {
            return nil
        }
        self.jws = jws
        self.claims = claims
    }

    /// The key that has signed it, empty if it names none.
    var keyIdentifier: String { jws.keyIdentifier ?? "" }
    /// A transaction or app transaction of the customer who may use the offer. Nil for all customers.
    var transactionId: String? { claims.transactionId }
    /// A UUID in lower case, or the text that is in its place.
    var nonce: String { claims.nonce?.lowercased() ?? "" }
    /// Whether an introductory offer is allowed. Nil for a token of another use.
    var allowsIntroductoryOffer: Bool? { claims.allowIntroductoryOffer }

    /// The offer as the payment keeps it.
    func discount(_ identifier: String) -> PaymentDiscount {
        PaymentDiscount(
            identifier: identifier, keyIdentifier: keyIdentifier, nonce: nonce, signature: "",
            timestamp: issuedAt ?? 0)
    }

    /// Whether every claim of its use is present and well-formed.
    func isComplete(for audience: Audience) -> Bool {
        let texts = [jws.keyIdentifier, claims.iss, claims.aud, claims.bid, claims.productId]
        guard texts.allSatisfy({ $0?.isEmpty == false }), UUID(uuidString: nonce) != nil, issuedAt != nil else {
            return false
        }
        return switch audience {
        case .promotionalOffer: claims.offerIdentifier?.isEmpty == false
        case .introductoryOffer: claims.allowIntroductoryOffer != nil && claims.transactionId?.isEmpty == false
        }
    }

    /// Checks signature, age and claims, in this order.
    /// - Parameters:
    ///   - publicKey: The key as PEM.
    ///   - now: The wall clock, by which the app's server signs.
    func check(_ audience: Audience, for purchase: Purchase, publicKey: String, now: Timestamp) -> DiscountCheck {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature) else {
            return .signatureMalformed
        }
        guard let key = try? P256.Signing.PublicKey(pemRepresentation: publicKey),
            key.isValidSignature(signature, for: jws.input)
        else { return .invalidSignature }
        guard let issuedAt, DiscountSignature.isTimely(issuedAt, now) else { return .signatureOutdated }
        let isForPurchase =
            claims.aud == audience.rawValue && claims.iss.isExactly(purchase.issuerId)
            && claims.bid.isExactly(purchase.bundleId) && claims.productId.isExactly(purchase.productIdentifier)
            && (audience == .introductoryOffer || claims.offerIdentifier.isExactly(purchase.offerIdentifier))
        return isForPurchase ? .valid : .tokenOfOtherPurchase
    }

    /// Milliseconds since 1970. Nil for a number that is no instant.
    private var issuedAt: Int64? {
        guard let seconds = claims.iat, seconds > 0, seconds < 253_402_300_800 else { return nil }
        return Int64(seconds * 1000)
    }
}

import GatewayEdge
import StoreHTTP
import StoreModels

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks the promotional offers of payments.
struct DiscountChecker: Sendable {
    let keys: KeyDirectory
    let apps: AppDirectory
    /// The wall clock, by which apps' servers sign.
    let now: @Sendable () -> Timestamp

    /// Checks a payment's promotional offer. PaymentQueue decides by the result: a wrong offer becomes a failed
    /// transaction and never an HTTP error.
    ///
    /// - Returns: Nil for a payment without a discount.
    /// - Throws: `serviceUnavailable` when the keys cannot be read: an unchecked signature is not a wrong one.
    func check(_ request: PaymentRequest, in bundleId: String, _ call: Call) async throws -> DiscountCheck? {
        guard let parts = request.paymentDiscount else { return nil }
        guard parts.isComplete else { return .missingParameters }
        let discount = parts.discount
        let signature = DiscountSignature(
            bundleId: IsolatedApp.shown(bundleId), payment: request.payment(key: ""), discount: discount)
        let made = try await keys.key(discount.keyIdentifier, call.context())
        if let made, made.isForOffers(of: bundleId), let publicKey = made.publicKey {
            return signature.check(publicKey: publicKey, now: now())
        }
        if let publicKey = try await catalogueKey(discount.keyIdentifier, of: bundleId, call) {
            return signature.check(publicKey: publicKey, now: now())
        }
        guard let made else { return .keyUnknown }
        return made.kind.signsOffers ? .keyOfOtherApp : .keyOfOtherKind
    }

    /// Finds a public key in the app's catalogue.
    private func catalogueKey(_ keyIdentifier: String, of bundleId: String, _ call: Call) async throws -> String? {
        guard let app = try await apps.app(bundleId, call) else {
            throw StoreError(
                .serviceUnavailable, "the catalogue that may have the offer's key is away; nothing was charged",
                retryAfterMs: 1000)
        }
        return app.subscriptionOfferKeys?.first { $0.keyIdentifier.isExactly(keyIdentifier) }?.publicKey
    }
}

extension KeyKind {
    fileprivate var signsOffers: Bool { self == .subscriptionOffer || self == .inAppPurchase }
}

extension AppKeyRecord {
    /// Whether it signs the app's offers. An isolated store has the keys of the app it was copied from, too.
    fileprivate func isForOffers(of app: String) -> Bool {
        kind.signsOffers && (isAccounts || bundleId.isExactly(app) || bundleId.isExactly(IsolatedApp.shown(app)))
    }
}

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

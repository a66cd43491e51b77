import BusService
import Cryptography
import FoundationEssentials
import GatewayEdge
import Logging
import StoreHTTP
import StoreModels

/// Checks the promotional offers of payments.
struct DiscountChecker: Sendable {
    let keys: KeyDirectory
    let apps: AppDirectory
    let trust: TrustDirectory
    let services: ServiceCaller
    let logger: Logger
    /// The wall clock, by which apps' servers sign.
    let now: @Sendable () -> Timestamp

    /// Checks a payment's promotional offer. PaymentQueue decides by the result: a wrong offer becomes a failed
    /// transaction and never an HTTP error.
    ///
    /// - Returns: Nil for a payment without a discount.
    /// - Throws: `serviceUnavailable` when the keys cannot be read: an unchecked signature is not a wrong one.
    func check(_ request: PaymentRequest, in bundleId: String, _ call: Call) async throws -> DiscountCheck? {
        if let promotional = request.offer?.promotional {
            guard let token = OfferToken(promotional.jws) else { return .signatureMalformed }
            return try await check(token, .promotionalOffer, promotional.identifier, request, call)
        }
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

    /// Checks the decision of the app's server about the introductory offer. One that is not valid allows nothing, and
    /// the log says why.
    /// - Returns: Nil for a payment without a decision.
    /// - Throws: As ``check(_:in:_:)``.
    func introductoryDecision(_ request: PaymentRequest, _ call: Call) async throws -> IntroductoryDecision? {
        guard let text = request.introductoryEligibility else { return nil }
        let digest = Hex.text(SHA256.hash(data: text.utf8))
        var found = DiscountCheck.signatureMalformed
        if let token = OfferToken(text) {
            found = try await check(token, .introductoryOffer, nil, request, call)
            if found == .valid {
                return IntroductoryDecision(
                    isAllowed: token.allowsIntroductoryOffer == true, nonce: token.nonce, digest: digest)
            }
        }
        logger.notice(
            "an introductory offer's JWS is not valid; the customer pays the full price",
            metadata: ["reason": "\(found.rawValue)", "product": "\(request.productIdentifier)"])
        return IntroductoryDecision(isAllowed: false, digest: digest)
    }

    /// Checks a token by the app's In-App Purchase keys, and that it is for the session's customer.
    private func check(
        _ token: OfferToken, _ audience: OfferToken.Audience, _ offer: String?, _ request: PaymentRequest, _ call: Call
    ) async throws -> DiscountCheck {
        let bundleId = call.session.bundleId
        guard token.isComplete(for: audience) else { return .missingParameters }
        guard let key = try await keys.key(token.keyIdentifier, call.context()) else { return .keyUnknown }
        guard key.kind == .inAppPurchase, let publicKey = key.publicKey else { return .keyOfOtherKind }
        guard key.isForOffers(of: bundleId) else { return .keyOfOtherApp }
        let facts = try await trust.facts(of: bundleId, until: call.deadline)
        let found = token.check(
            audience,
            for: .init(
                issuerId: facts.issuerId, bundleId: IsolatedApp.shown(bundleId),
                productIdentifier: request.productIdentifier, offerIdentifier: offer),
            publicKey: publicKey, now: now())
        guard found == .valid, let transaction = token.transactionId else { return found }
        return try await isOwn(transaction, call) ? .valid : .tokenOfOtherPurchase
    }

    /// Whether a transaction or app transaction is one of the session's customer.
    private func isOwn(_ transaction: String, _ call: Call) async throws -> Bool {
        let found: TransactionLookupReply
        do throws(StoreError) {
            found = try await services.call(
                ServerAPIEndpoints.lookup,
                TransactionLookupRequest(bundleId: call.session.bundleId, identifier: transaction), for: call)
        } catch {
            guard error.code == .notFound || error.code == .requestInvalid else { throw error }
            return false
        }
        return found.customerIdentifier.isExactly(call.session.customerIdentifier)
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

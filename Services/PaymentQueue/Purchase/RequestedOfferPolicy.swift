import StoreModels

/// Decides about the offer a payment asks for, without I/O.
///
/// It is a promotional offer the app has signed for, or a win-back offer, an offer code or a promotional offer that was
/// redeemed outside the app. They all leave the introductory offer unaffected.
enum RequestedOfferPolicy {
    /// An offer the payment names and the product has.
    struct Found: Hashable, Sendable {
        var discount: ProductDiscount
        var applied: AppliedOffer
        /// The redeemable offer with its conditions. Nil for a promotional offer, which any former subscriber may use.
        var redeemable: RedeemableOffer?
    }

    enum Search: Hashable, Sendable {
        /// The payment requests no offer, or only the introductory one, which every eligible customer gets.
        case none
        case found(Found)
        case fail(TransactionError)
    }

    /// Finds the requested offer without knowing the customer: the errors 11, 12 and 13.
    static func search(
        _ payment: Payment, _ request: OfferRequest?, product: Product, redeemable: [RedeemableOffer]
    ) -> Search {
        if let discount = payment.paymentDiscount {
            if let error = (request?.discountCheck ?? .invalidSignature).error { return .fail(error) }
            return promotional(discount.identifier, product)
        }
        guard let redeemed = request?.redeemed else { return .none }
        switch redeemed.type {
        case .introductory: return .none
        case .subscription: return promotional(redeemed.identifier, product)
        case .code: return offer(.code, redeemed, redeemable)
        case .winBack: return offer(.winBack, redeemed, redeemable)
        }
    }

    /// Tells whether the customer may have the offer (error 18 when not).
    static func isEligible(_ found: Found, context: PurchasePolicy.Context, now: Timestamp) -> Bool {
        guard let offer = found.redeemable else {
            return PromotionalOfferPolicy.decide(history: context.groupHistory, now: now).isEligible
        }
        switch offer.type {
        case .code:
            return OfferCodePolicy.decide(audiences: offer.audiences, history: context.groupHistory, now: now)
                .isEligible
        case .winBack:
            guard let conditions = offer.winBack, let winBack = context.winBack else { return false }
            return WinBackOfferPolicy.decide(conditions, facts: winBack, now: now).isEligible
        }
    }

    /// The failure of a customer who may not have the offer.
    static let ineligible = TransactionError(.ineligibleForOffer, "This account cannot have this offer.")
    /// The failure of a code whose offer is not for the customer, or is no longer there.
    static let codeIneligible = TransactionError(
        .ineligibleForOffer, "This account cannot have the offer of this code.",
        reason: StoreErrorCode.codeIneligible.name)
    /// The failure of a repeated nonce. A nonce counts once in an app, also when the purchase has failed.
    static let nonceUsed = TransactionError(.invalidSignature, "The offer's signature was used before.")

    private static let unknown = TransactionError(.invalidOfferIdentifier, "The product has no such offer.")

    private static func promotional(_ identifier: String?, _ product: Product) -> Search {
        guard let discount = product.discounts.first(where: { $0.identifier.isExactly(identifier) }), identifier != nil
        else {
            return .fail(unknown)
        }
        return .found(
            Found(
                discount: discount,
                applied: AppliedOffer(
                    type: .subscription, paymentMode: discount.paymentMode, identifier: identifier,
                    period: discount.subscriptionPeriod.times(discount.numberOfPeriods))))
    }

    private static func offer(
        _ kind: RedeemableOffer.Kind, _ redeemed: RedeemedOffer, _ offers: [RedeemableOffer]
    ) -> Search {
        let offer = offers.first { $0.type == kind && $0.offer.identifier.isExactly(redeemed.identifier) }
        guard let offer, redeemed.identifier != nil else { return .fail(unknown) }
        return .found(
            Found(
                discount: offer.offer,
                applied: AppliedOffer(
                    type: redeemed.type, paymentMode: offer.offer.paymentMode, identifier: redeemed.identifier,
                    period: offer.offer.subscriptionPeriod.times(offer.offer.numberOfPeriods)),
                redeemable: offer))
    }
}

/// The part of a payment about an offer other than the introductory one.
///
/// It is stored with the transaction, because a purchase that waited or was interrupted is planned again.
struct OfferRequest: Hashable, Sendable, Codable {
    /// The gateway's check of the signature of the payment's discount.
    var discountCheck: DiscountCheck?
    /// An offer redeemed outside the app.
    var redeemed: RedeemedOffer?
    /// The app's decision about the introductory offer.
    var introductory: IntroductoryDecision?
    /// The code that is redeemed. `redeemed` is its offer.
    var code: RedeemedCode?

    /// Creates a request.
    /// - Returns: Nil when all parts are nil.
    init?(
        discountCheck: DiscountCheck?, redeemed: RedeemedOffer?, introductory: IntroductoryDecision? = nil,
        code: RedeemedCode? = nil
    ) {
        guard discountCheck != nil || redeemed != nil || introductory != nil else { return nil }
        self.discountCheck = discountCheck
        self.redeemed = redeemed
        self.introductory = introductory
        self.code = code
    }

    /// The request that comes with a payment.
    init?(_ request: AddPaymentRequest) {
        self.init(
            discountCheck: request.discountCheck, redeemed: request.redeemedOffer,
            introductory: request.introductoryDecision, code: request.redeemedCode)
    }
}

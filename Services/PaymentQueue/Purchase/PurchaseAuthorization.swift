import StoreModels

/// A charge that was authorized or declined before the purchase's only commit (ADR 0047).
///
/// The customer pays nothing yet. The commit decides whether the charge is captured. Otherwise the charge lapses.
struct PurchaseAuthorization: Hashable, Sendable {
    /// The `id` of the transaction that the charge is for.
    let id: String
    let amount: Money
    /// Approved, or failed with the processor's reason.
    let reply: ChargeReply

    /// The charge's key, as of a purchase that is charged after its first commit.
    var chargeKey: String { StoredTransaction.chargeKey(of: id) }

    /// - Returns: Nil for a charge about which the processor has not decided, or with another amount.
    init?(id: String, amount: Money, _ charge: Charge) {
        switch charge.outcome {
        case .authorized, .approved:
            guard charge.amount == amount else { return nil }
            reply = .approved
        case .declined: reply = ChargeReply(charge, expected: amount)
        case .pending, .cancelled: return nil
        }
        self.id = id
        self.amount = amount
    }

    /// Returns the terms that the plan agrees on, if this is the charge for them.
    ///
    /// The plan is made from rows that were read after the authorization. So the price may be another, an answer may be
    /// missing, or a tester's settings may let the processor decline.
    func terms(of plan: PurchasePlan) -> PurchaseTerms? {
        guard plan.isPlain, case .sell(let terms, let offerGroup) = plan.decision, offerGroup == nil,
            terms.amount == amount, !terms.productType.isSoldOneAtATime
        else { return nil }
        return terms
    }

    /// Decides whether a purchase is authorized before its commit.
    ///
    /// Offers, and products that a customer has one at a time, are reserved first, and only then charged. So are
    /// promoted purchases, which have one payment.
    /// - Returns: The amount to authorize, or nil for a purchase that is charged after its first commit.
    static func amount(of request: AddPaymentRequest, _ quote: Quote) -> Money? {
        let payment = request.payment
        guard quote.availability == .available, let product = quote.product, product.type.isSoldInQuantity,
            payment.paymentDiscount == nil, request.redeemedOffer == nil, payment.intentIdentifier == nil,
            !payment.simulatesAskToBuyInSandbox, let amount = product.price.times(payment.quantity),
            amount.minorUnits > 0
        else { return nil }
        return amount
    }
}

extension PurchasePlan {
    /// Whether the shopper is charged without a prompt or simulated fault.
    var isPlain: Bool {
        guard case .sell(let terms, _) = decision else { return false }
        return asks.isEmpty && terms.simulate == nil
    }
}

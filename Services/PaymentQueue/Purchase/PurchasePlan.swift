import StoreModels

/// The obstacle that a waiting purchase waits for.
///
/// It is a purchase in flight of the same product, or a subscription whose renewal is in quarantine.
struct PurchaseObstacle: Hashable, Sendable {
    /// The purchase's `id`, or that of the subscription's first transaction.
    var id: String
    /// Whether it ends only with a person's answer or decision.
    var isForPerson: Bool
}

/// The decision about a payment: the terms of the sale, and the people who have to agree first.
struct PurchasePlan: Hashable, Sendable {
    var decision: PurchasePolicy.Decision
    /// The answers that come before the charge, in this order. Empty unless something is sold.
    var asks: [Prompt.Kind]
    /// The obstacle of a waiting purchase, or nil if several commits may end the waiting.
    var obstacle: PurchaseObstacle?

    /// Plans a payment.
    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - tester: The account's settings over all defaults.
    ///   - storefront: The shopper's storefront.
    ///   - now: The app's clock.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    ///   - isPast: Whether it is dated back: it asks for no answer, and its charge was approved.
    init(
        payment: Payment, _ request: OfferRequest? = nil, quote: Quote, context: PurchasePolicy.Context,
        tester: TesterSettings, storefront: String? = nil, now: Timestamp, isResumed: Bool = false, isPast: Bool = false
    ) {
        let decision = PurchasePolicy.decide(payment, request, quote: quote, context: context, now: now)
        let asksToBuy = payment.simulatesAskToBuyInSandbox
        let sheet: PaymentSheetPolicy.Outcome =
            if isPast { .pay } else if isResumed {
                PaymentSheetPolicy.decideAgain(tester: tester, asksToBuy: asksToBuy)
            } else { PaymentSheetPolicy.decide(tester: tester, asksToBuy: asksToBuy) }
        self.decision = decision.charged(as: isPast ? .approve : tester.processor, in: storefront)
        self.asks = []
        switch (decision, sheet) {
        case (.fail, _), (_, .pay): break
        // A purchase that fails at the sheet does not wait for another one first.
        case (.sell, .fail(let error)), (.wait, .fail(let error)): self.decision = .fail(error)
        case (.sell, .ask(let kinds)): self.asks = kinds
        // The prompt is created once the terms are known.
        case (.wait, .ask): break
        }
        if self.decision == .wait { obstacle = context.obstacle }
    }
}

extension PurchasePolicy.Decision {
    /// Adds the tester's processor mode and storefront to the terms, which survive the process.
    fileprivate func charged(as mode: ProcessorMode?, in storefront: String?) -> PurchasePolicy.Decision {
        guard case .sell(var terms, let reservesOffer) = self else { return self }
        (terms.simulate, terms.storefront) = (mode, storefront)
        return .sell(terms, reservesOffer: reservesOffer)
    }
}

extension PurchasePlan {
    /// Dates a planned purchase back.
    /// - Parameters:
    ///   - context: The facts the plan was made from.
    ///   - now: The app's clock.
    /// - Throws: `requestInvalid` for a product that is not a subscription, and for a price in another currency,
    ///   `transactionStateInvalid` for a customer who has subscribed in the group before, or `serviceUnavailable` while
    ///   another purchase of the product is in flight.
    func dated(
        back past: PastPurchase, _ context: PurchasePolicy.Context, now: Timestamp
    ) throws(StoreError) -> PurchasePlan {
        switch decision {
        case .fail: return self
        case .wait:
            throw StoreError(
                .serviceUnavailable, "another purchase of the product has to end first; ask again", retryAfterMs: 500)
        case .sell(let terms, let reservesOffer):
            guard context.subscription == nil, context.groupHistory?.state == nil else {
                throw StoreError(
                    .transactionStateInvalid,
                    "the customer has subscribed in this group before, and only a first purchase is dated back")
            }
            var plan = self
            plan.decision = .sell(try terms.dated(back: past, now: now), reservesOffer: reservesOffer)
            return plan
        }
    }
}

/// A purchase about to be written for the first time.
struct NewPurchase: Sendable {
    /// The transaction's identifier.
    var id: String
    var payment: Payment
    /// The device that pays.
    var deviceId: String
    var quote: Quote
    /// The offer request that comes with the payment.
    var request: OfferRequest?
    /// The past instant and price, or nil for a purchase now.
    var past: PastPurchase?
    /// The request's fingerprint, or nil for a purchase without an idempotency key.
    var fingerprint: String?
    /// The interrupted transaction it replaces.
    var supersedes: String?

    /// Returns the transaction at its first revision.
    /// - Parameter terms: Nil before anything is agreed.
    func machine(_ terms: PurchaseTerms?) -> TransactionStateMachine {
        .purchasing(
            id: id, payment: payment, deviceId: deviceId, supersedes: supersedes, price: terms?.amount,
            offer: terms?.offer)
    }
}

/// Divides unfinished purchases among replicas on one database: a replica claims a row for a while.
///
/// Claims save work and are not needed for correctness. Two replicas that drive one purchase ask the processor about
/// one charge, and the database decides whose outcome is written.
struct PurchaseClaims: Sendable {
    /// This process's random name.
    let replica: String
    /// How long a new purchase belongs to the request that began it, in milliseconds.
    let headStart: Int64
    /// The duration of a claim in milliseconds. A replica renews it when half is over.
    ///
    /// Other replicas take over the purchases of a dead one after this time.
    let lease: Int64

    init(headStart: Duration = .seconds(1), lease: Duration = .seconds(4)) {
        var random = SystemRandomNumberGenerator()
        replica = String(random.next() as UInt64, radix: 36)
        self.headStart = headStart.milliseconds
        self.lease = lease.milliseconds
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

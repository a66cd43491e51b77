import StoreModels

/// What keeps a purchase waiting until it ends: a purchase in flight of the same product, or a subscription whose
/// renewal is in quarantine.
struct PurchaseObstacle: Hashable, Sendable {
    /// The purchase's `id`, or that of the subscription's first transaction.
    var id: String
    /// It goes on only when a person has answered or decided.
    var isForPerson: Bool
}

/// What becomes of a payment, all things considered: what is sold, and who has to agree first.
struct PurchasePlan: Hashable, Sendable {
    var decision: PurchasePolicy.Decision
    /// Whose answers come before the charge, in this order; only for what is sold.
    var asks: [Prompt.Kind]
    /// Of one that waits; nil where several commits may end that.
    var obstacle: PurchaseObstacle?

    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - tester: what the account does at the store, over all defaults.
    ///   - storefront: where the shopper is.
    ///   - now: the business clock.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    init(
        payment: Payment, _ request: OfferRequest? = nil, quote: Quote, context: PurchasePolicy.Context,
        tester: TesterSettings, storefront: String? = nil, now: Timestamp, isResumed: Bool = false
    ) {
        let decision = PurchasePolicy.decide(payment, request, quote: quote, context: context, now: now)
        let asksToBuy = payment.simulatesAskToBuyInSandbox
        let sheet =
            isResumed
            ? PaymentSheetPolicy.decideAgain(tester: tester, asksToBuy: asksToBuy)
            : PaymentSheetPolicy.decide(tester: tester, asksToBuy: asksToBuy)
        self.decision = decision.charged(as: tester.processor, in: storefront)
        self.asks = []
        switch (decision, sheet) {
        case (.fail, _), (_, .pay): break
        // A purchase that fails at the sheet does not wait for another one first.
        case (.sell, .fail(let error)), (.wait, .fail(let error)): self.decision = .fail(error)
        case (.sell, .ask(let kinds)): self.asks = kinds
        // The person is asked once it is known what there is to buy.
        case (.wait, .ask): break
        }
        if self.decision == .wait { obstacle = context.obstacle }
    }
}

extension PurchasePolicy.Decision {
    /// The tester's wish for the processor and the storefront go with the terms, so that they survive the process.
    fileprivate func charged(as mode: ProcessorMode?, in storefront: String?) -> PurchasePolicy.Decision {
        guard case .sell(var terms, let reservesOffer) = self else { return self }
        (terms.simulate, terms.storefront) = (mode, storefront)
        return .sell(terms, reservesOffer: reservesOffer)
    }
}

/// A purchase about to be written for the first time.
struct NewPurchase: Sendable {
    /// Of the transaction.
    var id: String
    var payment: Payment
    var deviceId: String
    var quote: Quote
    /// What comes with the payment about an offer.
    var request: OfferRequest?
    /// Of the request whose idempotency key it answers; nil for one without a key.
    var fingerprint: String?
    /// The interrupted transaction whose place it takes.
    var supersedes: String?

    /// At its first revision.
    /// - Parameter terms: Nil before anything is agreed.
    func machine(_ terms: PurchaseTerms?) -> TransactionStateMachine {
        .purchasing(
            id: id, payment: payment, deviceId: deviceId, supersedes: supersedes, price: terms?.amount,
            offer: terms?.offer)
    }
}

/// How replicas on one database divide what was left under way: a row belongs to one of them for a while.
///
/// Nothing rests on it but the work saved. Two that drive one purchase ask the processor about one charge, and the
/// database decides whose answer is written.
struct PurchaseClaims: Sendable {
    /// Of this process; random.
    let replica: String
    /// A new purchase is left this long to the request that began it; milliseconds.
    let headStart: Int64
    /// How long a claim lasts, in milliseconds; renewed when half of it is over. So much later what a dead replica has
    /// left is taken up.
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

import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

extension CustomerState {
    // MARK: Plans

    /// Reads a key's payment, with those of the batch.
    func payment(key: String) throws -> StoredPayment? {
        if PlantedBug.isActive(.checkThenInsert) { return nil }
        if let ended = payments[ExactText(key)] { return ended }
        return try read(PaymentRepository.find(key: key, of: customer))
    }

    /// Returns what the plan of a payment is known to ask.
    /// - Parameter request: The offer request that comes with the payment.
    static func lookups(
        for quote: Quote, of customer: CustomerReference, _ payment: Payment, _ request: OfferRequest?
    ) -> [SQLLookupKey] {
        var keys: [SQLLookupKey] = []
        if let limit = quote.unfinishedLimit { keys.append(unfinishedCount(of: customer, limit).key) }
        if let discount = payment.paymentDiscount, request?.discountCheck == .valid {
            keys.append(EntitlementRepository.holder(ofNonce: discount.nonce, in: customer.bundleId).key)
        }
        if let nonce = request?.introductory?.nonce {
            keys.append(EntitlementRepository.holder(ofNonce: nonce, in: customer.bundleId).key)
        }
        if let code = request?.code {
            keys += [
                OfferCodeRepository.find(digest: code.digest, of: customer.bundleId).key,
                OfferCodeRepository.hasRedeemed(code, customer).key,
            ]
        }
        if quote.historyQuestion != nil {
            keys += [
                SubscriptionRepository.allLocked(of: customer).key, EntitlementRepository.offers(of: customer).key,
                SubscriptionGroupRepository.all(of: customer).key,
            ]
        }
        guard let product = quote.product, product.type.isSoldOneAtATime else { return keys }
        keys.append(EntitlementRepository.slotHolder(of: product.productIdentifier, customer).key)
        if product.type == .nonConsumable {
            keys.append(EntitlementRepository.ownedSince(product.productIdentifier, customer).key)
        }
        return keys
    }

    private static func unfinishedCount(of customer: CustomerReference, _ limit: Int) -> SQLLookup<Int> {
        TransactionRepository.unfinishedCount(of: customer, limit: max(limit, 0) + 1)
    }

    /// Plans a payment from the customer's rows.
    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - id: The purchase itself, when it is already waiting.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    ///   - past: The past instant and price, for a purchase that is dated back.
    /// - Throws: As ``PurchasePlan/dated(back:_:now:)``.
    mutating func plan(
        _ payment: Payment, _ request: OfferRequest?, quote: Quote, except id: String? = nil, isResumed: Bool = false,
        past: PastPurchase? = nil
    ) throws -> PurchasePlan {
        try need(Self.lookups(for: quote, of: customer, payment, request))
        let tester = settings.over(quote.testerDefaults).over(.standard)
        var context = try context(quote, tester, except: id)
        if id == nil, context.mustWait(at: now) {
            context.waitingCount = try read(
                EntitlementRepository.waitingCount(of: customer, limit: PurchasePolicy.waitingMax))
        }
        if let discount = payment.paymentDiscount, request?.discountCheck == .valid {
            context.isNonceUsed = try !takeNonce(discount.nonce, for: payment)
        }
        if request?.redeemed?.type == .winBack {
            let history = context.groupHistory
            context.winBack =
                try context.subscription.map {
                    try read(EntitlementRepository.winBackFacts(of: $0, history: history))
                } ?? WinBackFacts(history: history, paidMonths: 0, expiredAt: nil)
        }
        if let code = request?.code {
            context.codeRefusal = OfferCodeRules.refusal(
                of: try storedCode(code), hasRedeemed: try read(OfferCodeRepository.hasRedeemed(code, customer)),
                now: now)
        }
        context.givesIntroductoryOffer = past == nil
        if let decision = request?.introductory {
            // A decision that was used before allows nothing.
            let isNew = try decision.nonce.map { try takeNonce($0, for: payment) } ?? true
            context.allowsIntroductoryOffer = decision.isAllowed && isNew
        }
        let plan = PurchasePlan(
            payment: payment, request, quote: quote, context: context, tester: tester, storefront: account.storefront,
            now: now, isResumed: isResumed, isPast: past != nil)
        return try past.map { past throws(StoreError) in try plan.dated(back: past, context, now: now) } ?? plan
    }

    /// Reads the context of a product's purchase.
    /// - Parameter tester: The account's settings over all defaults.
    private func context(
        _ quote: Quote, _ tester: TesterSettings, except id: String?
    ) throws -> PurchasePolicy.Context {
        var context = PurchasePolicy.Context(
            canMakePayments: tester.canMakePayments ?? true, rate: tester.subscriptionRenewalRate ?? .realTime)
        context.storefront = account.storefront
        if let limit = quote.unfinishedLimit {
            let count = Self.unfinishedCount(of: customer, limit)
            // A refusal names this number, which does not depend on the batch.
            context.unfinishedCount = min(try read(count) + boughtCount(since: count.key), max(limit, 0) + 1)
        }
        guard let product = quote.product, product.type.isSoldOneAtATime else { return context }
        if let question = quote.historyQuestion {
            let all = try subscriptions()
            let history = EntitlementRepository.history(
                of: all, try read(SubscriptionGroupRepository.all(of: customer)),
                offers: try read(EntitlementRepository.offers(of: customer)))
            let subscribed = EntitlementRepository.Subscribed(question, history, among: all, at: now)
            (context.subscription, context.groupHistory) = (subscribed.subscription, subscribed.history)
        }
        let holder = try read(EntitlementRepository.slotHolder(of: product.productIdentifier, customer))
        if let holder, holder.id != id {
            (context.isSlotTaken, context.obstacle) = (true, holder)
        } else if let subscription = context.subscription, subscription.isQuarantined {
            context.obstacle = PurchaseObstacle(id: subscription.originalID, isForPerson: true)
        }
        if product.type == .nonConsumable {
            context.ownedSince = try read(EntitlementRepository.ownedSince(product.productIdentifier, customer))
        }
        return context
    }

    /// Takes the nonce of an offer for a payment, which may have one nonce in two offers.
    /// - Returns: False when another payment has it.
    private mutating func takeNonce(_ nonce: String, for payment: Payment) throws -> Bool {
        let own = EntitlementRepository.NonceHolder(customer: customer, requestKey: payment.requestIdentifier)
        let lookup = EntitlementRepository.holder(ofNonce: nonce, in: customer.bundleId)
        if let holder = try takenNonces[lookup.key] ?? read(lookup) { return holder == own }
        write(EntitlementRepository.takeNonce(nonce, for: own))
        takenNonces[lookup.key] = own
        return true
    }

    private func storedCode(_ code: RedeemedCode) throws -> StoredOfferCode? {
        try read(OfferCodeRepository.find(digest: code.digest, of: customer.bundleId))
    }

    // MARK: New and waiting purchases

    /// Decides about a purchase's first commit, unless its key was used before.
    ///
    /// A purchase that is free, or whose terms are those of its authorization, ends in this commit. Any other begins.
    /// Many sales of one customer are decided from the same rows, with ``payments`` and ``boughtCount``.
    /// - Throws: `intentDecided`, the refusal of a code, or as ``PurchasePlan/dated(back:_:now:)``.
    mutating func begin(_ command: PurchaseCommand) throws -> PurchaseCommand.Outcome {
        let purchase = command.purchase
        if let known = try payment(key: purchase.payment.requestIdentifier) { return .existing(known) }
        guard account.storefront.isExactly(command.storefront) else { return .moved(to: account.storefront) }
        if let intent = purchase.payment.intentIdentifier { try use(intent) }
        let plan = try plan(purchase.payment, purchase.request, quote: purchase.quote, past: purchase.past)
        if case .fail(let failure) = plan.decision, let refusal = OfferCodeRules.error(of: failure) { throw refusal }
        let sold = try sell(purchase, plan, authorization: command.authorization)
        return .begun(try sold ?? begin(purchase, plan), isPlain: plan.isPlain)
    }

    /// Writes a purchase that begins and ends in one commit.
    /// - Returns: Nil for a purchase that has to be charged after the commit, or waits for an answer.
    private mutating func sell(
        _ purchase: NewPurchase, _ plan: PurchasePlan, authorization: PurchaseAuthorization?
    ) throws -> StoredTransaction? {
        guard case .sell(let terms, let offerGroup) = plan.decision, plan.asks.isEmpty, try !isBusy(terms) else {
            return nil
        }
        var purchase = purchase
        let reply: ChargeReply
        if terms.isFree {
            reply = .approved
        } else {
            guard let authorization, authorization.isFor(terms) else { return nil }
            (purchase.id, reply) = (authorization.id, authorization.reply)
        }
        var stored = try start(purchase, phase: .charging, terms: terms).stored
        if case .failed(let error) = reply {
            stored = try apply(.fail(error), to: stored, isNew: true)
        } else {
            stored = try conclude(stored, isNew: true)
            guard stored.transaction.transactionState == .purchased else {
                throw StoreError(.internal, "a sale that its own commit does not end")
            }
            if !terms.isFree { write(CaptureRepository.insert(stored.id, wall: wall)) }
            try redeemCode(of: stored)
            if let offerGroup {
                write(EntitlementRepository.claimOffer(group: offerGroup, for: stored))
                try checkpoint(.afterOfferClaim)
            }
            boughtCount += 1
        }
        // The purchase changes nothing else that the customer's next one asks for.
        keepsRows =
            !terms.productType.isSoldOneAtATime && purchase.payment.intentIdentifier == nil && takenNonces.isEmpty
        if keepsRows, let fingerprint = purchase.fingerprint {
            payments[ExactText(purchase.payment.requestIdentifier)] = StoredPayment(
                fingerprint: fingerprint, transactionID: stored.id,
                reply: AddPaymentReply(
                    status: PaymentRepository.endedStatus, transaction: stored.transaction, isReplayed: true))
        }
        return stored
    }

    /// Tells whether a renewal has to end before a purchase on these terms.
    private func isBusy(_ terms: PurchaseTerms) throws -> Bool {
        try terms.subscription.flatMap { try subscription(group: $0.key) }?.isBusy(at: now) ?? false
    }

    /// Uses an intent up.
    /// - Throws: `intentDecided` when it was used before.
    private mutating func use(_ intent: String) throws {
        let bundleId = customer.bundleId
        let isUsed = try read(UsedIntentRepository.isUsed(intent, of: bundleId))
        guard !isUsed || PlantedBug.isActive(.intentPaidTwice) else {
            throw try read(PaymentRepository.exists(intent: intent, bundleId: bundleId))
                ? StoreError(
                    .intentDecided, "this promoted purchase was continued by another payment; nothing was charged")
                : StoreError.promotedPurchaseCleared
        }
        write(UsedIntentRepository.insert(intent, of: bundleId))
    }

    /// Writes a new purchase according to its plan.
    mutating func begin(_ purchase: NewPurchase, _ plan: PurchasePlan) throws -> StoredTransaction {
        switch plan.decision {
        case .sell(let terms, let offerGroup):
            // An interrupted purchase reserves no offer and no product; it is planned again when it is resolved.
            guard plan.asks.first != .interrupted else {
                let stored = try insert(purchase, phase: .charging, quote: purchase.quote)
                return try ask(plan.asks, about: stored)
            }
            let stored = try insert(
                purchase, phase: terms.isFree ? .granting : .charging, awaitsAnswer: !plan.asks.isEmpty,
                terms: terms, quote: plan.asks.contains(.interrupted) ? purchase.quote : nil)
            try reserve(terms, offerGroup: offerGroup, for: stored)
            return try ask(plan.asks, about: stored)
        case .wait:
            return try insert(purchase, phase: .waiting, obstacle: plan.obstacle, quote: purchase.quote)
        case .fail(let error):
            let stored = try insert(purchase, phase: .charging)
            return try apply(.fail(error), to: stored)
        }
    }

    /// Plans a purchase again after another one of the same product.
    mutating func replan(_ stored: StoredTransaction) throws -> StoredTransaction {
        guard stored.phase == .waiting, let quote = stored.quote else { return stored }
        let plan = try plan(stored.transaction.payment, stored.request, quote: quote, except: stored.id)
        switch plan.decision {
        case .wait: return wait(stored, for: plan.obstacle)
        case .fail(let error): return try apply(.fail(error), to: stored)
        case .sell(let terms, let offerGroup):
            guard plan.asks.first != .interrupted else { return try ask(plan.asks, about: stored) }
            var next = stored
            next.obstacle = nil
            (next.terms, next.phase) = (terms, terms.isFree ? .granting : .charging)
            next.quote = plan.asks.contains(.interrupted) ? quote : nil
            (next.transaction.price, next.transaction.offer) = (terms.amount, terms.offer)
            next.awaitsAnswer = !plan.asks.isEmpty
            let body = try StoredJSON.text(next.transaction)
            write(try TransactionRepository.advance(next, body: body, from: stored), leaving: next)
            try reserve(terms, offerGroup: offerGroup, for: next)
            return try ask(plan.asks, about: next)
        }
    }

    private mutating func wait(_ stored: StoredTransaction, for obstacle: PurchaseObstacle?) -> StoredTransaction {
        var next = stored
        next.obstacle = obstacle
        if obstacle?.id != stored.obstacle?.id { write(TransactionRepository.setWaitsFor(of: next), leaving: next) }
        return next
    }

    /// Journals a purchase's first revision. Its row is not written yet.
    /// - Returns: The transaction, and its JSON.
    private mutating func start(
        _ purchase: NewPurchase, phase: StoredTransaction.Phase, awaitsAnswer: Bool = false,
        obstacle: PurchaseObstacle? = nil, terms: PurchaseTerms? = nil, quote: Quote? = nil
    ) throws -> (stored: StoredTransaction, body: String) {
        let value = purchase.machine(terms).transaction
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: StoreEvent.Kind(value.transactionState), body: body)
        let stored = StoredTransaction(
            customer: customer, transaction: value, phase: phase, awaitsAnswer: awaitsAnswer, obstacle: obstacle,
            createdSeq: seq, terms: terms, quote: quote, request: purchase.request, fingerprint: purchase.fingerprint,
            chargeKey: StoredTransaction.chargeKey(of: value.id))
        return (stored, body)
    }

    /// Journals the first revision, and writes the transaction's row.
    private mutating func insert(
        _ purchase: NewPurchase, phase: StoredTransaction.Phase, awaitsAnswer: Bool = false,
        obstacle: PurchaseObstacle? = nil, terms: PurchaseTerms? = nil, quote: Quote? = nil
    ) throws -> StoredTransaction {
        let (stored, body) = try start(
            purchase, phase: phase, awaitsAnswer: awaitsAnswer, obstacle: obstacle, terms: terms, quote: quote)
        write(try TransactionRepository.insert(stored, body: body), leaving: stored)
        return stored
    }

    /// Redeems the payment's code, if it has one.
    private mutating func redeemCode(of stored: StoredTransaction) throws {
        guard let code = stored.request?.code, let found = try storedCode(code) else { return }
        for change in OfferCodeRepository.redeem(code, found.code.kind, for: stored.id, customer) { write(change) }
    }

    /// Reserves the code's redemption, the offer's claim and, for one purchase at a time, the product's slot.
    private mutating func reserve(_ terms: PurchaseTerms, offerGroup: String?, for stored: StoredTransaction) throws {
        try redeemCode(of: stored)
        if let offerGroup {
            write(EntitlementRepository.claimOffer(group: offerGroup, for: stored))
            try checkpoint(.afterOfferClaim)
        }
        if terms.productType.isSoldOneAtATime {
            write(
                EntitlementRepository.takeSlot(
                    of: stored.transaction.payment.productIdentifier, for: stored.id, customer))
        }
    }

    // MARK: Events

    /// Applies an event to a transaction.
    /// - Parameters:
    ///   - storefront: The storefront in which the shopper has agreed to the terms now. Nil leaves the terms.
    ///   - keepsQuote: Whether the purchase fails and may be planned again.
    ///   - isNew: Whether the transaction's row is not written yet, so that nothing is reserved for it.
    /// - Returns: The changed transaction, or `stored` when the event had happened before or the state has no such
    ///   edge.
    mutating func apply(
        _ event: TransactionStateMachine.Event, to stored: StoredTransaction, agreedIn storefront: String? = nil,
        keepsQuote: Bool = false, isNew: Bool = false
    ) throws -> StoredTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        guard case .changed(let actions) = machine.handle(event) else { return stored }
        var next = stored
        next.obstacle = nil
        if let storefront { next.terms?.storefront = storefront }
        next.transaction = machine.transaction
        next.isFinished = machine.isFinished
        next.wasDeferred = stored.wasDeferred || machine.transaction.transactionState == .deferred
        if next.historySeq == nil, machine.transaction.transactionIdentifier != nil {
            (next.historySeq, next.modifiedSeq) = (nextSeq, nextModifiedSeq())
        }
        if machine.transaction.transactionState.isTerminal {
            (next.phase, next.awaitsAnswer) = (.settled, false)
            if !keepsQuote { next.quote = nil }
        }
        let body = try StoredJSON.text(next.transaction)
        let change =
            isNew
            ? try TransactionRepository.insert(next, body: body)
            : try TransactionRepository.advance(next, body: body, from: stored)
        write(change, leaving: next)
        for action in actions where !isNew || !action.endsReservation { try perform(action, next, body: body) }
        return try next.leavesNothing(keepsQuote: keepsQuote) ? leave(next) : next
    }

    /// Takes a transaction that StoreKit 2 has none of out of the queue, in the commit of its end.
    /// - Returns: The transaction after it, unchanged if it is out of the queue.
    mutating func leave(_ stored: StoredTransaction) throws -> StoredTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        guard case .changed = machine.handle(.finish) else { return stored }
        var gone = stored
        gone.isFinished = machine.isFinished
        write(TransactionRepository.markFinished(gone.id, of: customer), leaving: gone)
        try journalRemoval(of: gone.transaction, event: .finished)
        return gone
    }

    private mutating func perform(
        _ action: TransactionStateMachine.Action, _ stored: StoredTransaction, body: String
    ) throws {
        let value = stored.transaction
        switch action {
        case .journal(let kind):
            if PlantedBug.isActive(.journalRowMissing), value.transactionState == .failed { break }
            try journal(kind, value, event: StoreEvent.Kind(value.transactionState), body: body)
        case .consumeOffer:
            guard stored.terms?.offer != nil else { break }
            write(EntitlementRepository.consumeOffer(of: value, customer))
        case .releaseOffer:
            guard stored.terms?.offer != nil else { break }
            write(EntitlementRepository.releaseOffer(of: value, customer))
            if let code = stored.request?.code {
                for change in OfferCodeRepository.giveBack(code, of: value.id, customer) { write(change) }
            }
        case .releaseSlot:
            guard stored.terms?.productType.isSoldOneAtATime == true else { break }
            write(EntitlementRepository.releaseSlot(of: value, customer))
            write(TransactionRepository.release(waitingFor: value.id, of: customer))
            woken += try read(EntitlementRepository.waiting(for: value.payment.productIdentifier, customer))
        case .grant:
            guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
            write(EntitlementRepository.grant(value, terms: terms, to: customer))
            guard terms.subscription == nil else { return try changeSubscription(with: stored, terms) }
            // A product that is owned and given again is no new charge.
            if terms.ownedSince == nil { note(.purchased, of: stored, at: now) }
        }
    }

    /// Returns what the end of a purchase is known to ask.
    static func lookups(endOf stored: StoredTransaction) -> [SQLLookupKey] {
        guard let terms = stored.terms, terms.productType.isSoldOneAtATime else { return [] }
        let product = stored.transaction.payment.productIdentifier
        var keys = [EntitlementRepository.waiting(for: product, stored.customer).key]
        if terms.subscription != nil { keys.append(SubscriptionRepository.allLocked(of: stored.customer).key) }
        if terms.ownedSince != nil {
            keys.append(EntitlementRepository.ownedSince(product, stored.customer).key)
        }
        return keys
    }

    /// Ends a purchase that is paid, or free.
    ///
    /// While a renewal of its subscription group is due or in progress it stays as it is: the renewal comes first, and
    /// the caller tries again.
    /// - Parameter isNew: Whether the transaction's row is not written yet. Its plan has asked for what this asks.
    mutating func conclude(_ stored: StoredTransaction, isNew: Bool = false) throws -> StoredTransaction {
        guard !stored.transaction.transactionState.isTerminal else { return stored }
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        if !isNew { try need(Self.lookups(endOf: stored)) }
        let known = try terms.subscription.flatMap { try subscription(group: $0.key) }
        if known?.isBusy(at: now) == true { return stored }
        if terms.change?.isNote == true, known?.isActive(at: now) != true {
            return try apply(.fail(Self.noSubscription), to: stored, isNew: isNew)
        }
        if let owned = terms.ownedSince {
            let product = stored.transaction.payment.productIdentifier
            guard try read(EntitlementRepository.ownedSince(product, customer)) == owned else {
                return try apply(.fail(Self.noOwnership), to: stored, isNew: isNew)
            }
        }
        if let known { try need(lookups(changing: known)) }
        // A concurrent purchase in the group may have been first: then this one changes it now.
        let past = known == nil ? terms.past?.start : nil
        let purchase = terms.purchase(
            transactionIdentifier: try nextIdentifier(), at: past ?? now,
            // A customer who subscribes again continues the group's subscription.
            original: try known.flatMap { try transaction($0.originalID)?.transaction })
        return try apply(.purchase(purchase), to: stored, isNew: isNew)
    }

    /// Returns what a purchase asks about the subscription it continues or changes.
    private func lookups(changing known: StoredSubscription) -> [SQLLookupKey] {
        [
            TransactionRepository.find(known.originalID, of: customer).key,
            TransactionRepository.find(known.period.transactionID, of: customer).key,
            SubscriptionPeriodRepository.unfinished(of: known.originalID, endingAfter: now).key,
            RefundRepository.refunded(known.period.transactionID).key,
        ]
    }

    /// The failure of a change for the next renewal whose subscription has ended. Nothing was charged.
    private static let noSubscription = TransactionError(
        .unknown, "The subscription has ended meanwhile; nothing was charged.", reason: "subscriptionEnded")

    /// The failure of a repeated purchase of a product that was taken back. Nothing was charged.
    private static let noOwnership = TransactionError(
        .unknown, "The purchase this one repeats was taken back meanwhile; nothing was charged.",
        reason: "ownershipEnded")

    /// Quarantines a purchase with another charged amount, until an operator decides.
    mutating func quarantine(_ stored: StoredTransaction) -> StoredTransaction {
        var next = stored
        next.phase = .quarantined
        write(TransactionRepository.setPhase(of: next), leaving: next)
        return next
    }
}

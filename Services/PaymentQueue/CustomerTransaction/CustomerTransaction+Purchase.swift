import Persistence
import PlantedBugs
import ServiceDatabase
import StoreModels

extension CustomerTransaction {
    // MARK: New and waiting purchases

    /// Plans a payment from the rows this commit reads.
    /// - Parameters:
    ///   - request: The offer request that comes with the payment.
    ///   - started: The quote's queries, if they were started with the customer's lock.
    ///   - id: The purchase itself, when it is already waiting.
    ///   - isResumed: Whether the purchase was interrupted and continues.
    ///   - past: The past instant and price, for a purchase that is dated back.
    /// - Throws: As ``PurchasePlan/dated(back:_:now:)``.
    func plan(
        _ payment: Payment, _ request: OfferRequest?, quote: Quote, started: EntitlementRepository.StartedFacts? = nil,
        except id: String? = nil, isResumed: Bool = false, past: PastPurchase? = nil
    ) async throws -> PurchasePlan {
        let settings = try testerSettings.map { try StoredJSON.value(TesterSettings.self, $0) } ?? TesterSettings()
        let tester = settings.over(quote.testerDefaults).over(.standard)
        var subscribed: EntitlementRepository.Subscribed?
        let facts: EntitlementRepository.StartedFacts
        if let started {
            facts = started
        } else {
            facts = try await EntitlementRepository.start(quote, of: customer, in: transaction)
        }
        if let question = quote.historyQuestion, let history = facts.history {
            subscribed = try await EntitlementRepository.subscribed(question, history, at: now, in: transaction)
        }
        var context = try await EntitlementRepository.context(
            of: account, tester: tester, product: quote.product, unfinishedLimit: quote.unfinishedLimit,
            subscribed: subscribed, facts, except: id, in: transaction)
        if id == nil, context.mustWait(at: now) {
            context.waitingCount = try await EntitlementRepository.waitingCount(
                of: customer, limit: PurchasePolicy.waitingMax, in: transaction)
        }
        if let discount = payment.paymentDiscount, request?.discountCheck == .valid {
            context.isNonceUsed = try await !EntitlementRepository.takeNonce(
                discount.nonce, for: payment, of: customer, in: transaction)
        }
        if request?.redeemed?.type == .winBack {
            context.winBack = try await EntitlementRepository.winBackFacts(
                of: context.subscription, history: context.groupHistory, in: transaction)
        }
        context.givesIntroductoryOffer = past == nil
        let plan = PurchasePlan(
            payment: payment, request, quote: quote, context: context, tester: tester, storefront: account.storefront,
            now: now, isResumed: isResumed, isPast: past != nil)
        return try past.map { past throws(StoreError) in try plan.dated(back: past, context, now: now) } ?? plan
    }

    /// Writes a new purchase according to its plan.
    mutating func begin(_ purchase: NewPurchase, _ plan: PurchasePlan) async throws -> StoredTransaction {
        switch plan.decision {
        case .sell(let terms, let offerGroup):
            // An interrupted purchase reserves no offer and no product; it is planned again when it is resolved.
            guard plan.asks.first != .interrupted else {
                let stored = try await insert(purchase, phase: .charging, terms: nil, quote: purchase.quote)
                return try await ask(plan.asks, about: stored)
            }
            let stored = try await insert(
                purchase, phase: terms.isFree ? .granting : .charging, awaitsAnswer: !plan.asks.isEmpty,
                terms: terms, quote: plan.asks.contains(.interrupted) ? purchase.quote : nil)
            try await reserve(terms, offerGroup: offerGroup, for: stored)
            return try await ask(plan.asks, about: stored)
        case .wait:
            return try await insert(
                purchase, phase: .waiting, obstacle: plan.obstacle, terms: nil, quote: purchase.quote)
        case .fail(let error):
            let stored = try await insert(purchase, phase: .charging, terms: nil, quote: nil)
            return try await apply(.fail(error), to: stored)
        }
    }

    /// Plans a purchase again after another one of the same product.
    mutating func replan(_ stored: StoredTransaction) async throws -> StoredTransaction {
        guard stored.phase == .waiting, let quote = stored.quote else { return stored }
        let plan = try await plan(stored.transaction.payment, stored.request, quote: quote, except: stored.id)
        switch plan.decision {
        case .wait: return try await wait(stored, for: plan.obstacle)
        case .fail(let error): return try await apply(.fail(error), to: stored)
        case .sell(let terms, let offerGroup):
            guard plan.asks.first != .interrupted else { return try await ask(plan.asks, about: stored) }
            var next = stored
            next.obstacle = nil
            (next.terms, next.phase) = (terms, terms.isFree ? .granting : .charging)
            next.quote = plan.asks.contains(.interrupted) ? quote : nil
            (next.transaction.price, next.transaction.offer) = (terms.amount, terms.offer)
            next.awaitsAnswer = !plan.asks.isEmpty
            guard
                try await TransactionRepository.advance(
                    next, body: try StoredJSON.text(next.transaction), from: stored, in: transaction)
            else { return stored }
            try await reserve(terms, offerGroup: offerGroup, for: next)
            return try await ask(plan.asks, about: next)
        }
    }

    private func wait(_ stored: StoredTransaction, for obstacle: PurchaseObstacle?) async throws -> StoredTransaction {
        var next = stored
        next.obstacle = obstacle
        if obstacle?.id != stored.obstacle?.id {
            try await TransactionRepository.setWaitsFor(of: next, in: transaction)
        }
        return next
    }

    /// Journals the first revision, and writes the transaction's row and the idempotency key's.
    private mutating func insert(
        _ purchase: NewPurchase, phase: StoredTransaction.Phase, awaitsAnswer: Bool = false,
        obstacle: PurchaseObstacle? = nil, terms: PurchaseTerms?, quote: Quote?
    ) async throws -> StoredTransaction {
        let value = purchase.machine(terms).transaction
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: StoreEvent.Kind(value.transactionState), body: body)
        let stored = StoredTransaction(
            customer: customer, transaction: value, phase: phase, awaitsAnswer: awaitsAnswer, obstacle: obstacle,
            createdSeq: seq, terms: terms, quote: quote, request: purchase.request,
            chargeKey: StoredTransaction.chargeKey(of: value.id))
        try await TransactionRepository.insert(stored, body: body, in: transaction)
        try await PaymentRepository.insert(purchase, of: customer, wall: wall, in: transaction)
        return stored
    }

    /// Reserves the offer's claim and, for one purchase at a time, the product's slot.
    private func reserve(_ terms: PurchaseTerms, offerGroup: String?, for stored: StoredTransaction) async throws {
        if let offerGroup {
            try await EntitlementRepository.reserveOffer(group: offerGroup, for: stored, in: transaction)
            try checkpoint(.afterOfferClaim)
        }
        if terms.productType.isSoldOneAtATime {
            try await EntitlementRepository.takeSlot(
                of: stored.transaction.payment.productIdentifier, for: stored.id, customer, in: transaction)
        }
    }

    // MARK: Events

    /// Applies an event to a transaction whose row is still as `stored`.
    /// - Parameters:
    ///   - storefront: The storefront in which the shopper has agreed to the terms now. Nil leaves the terms.
    ///   - keepsQuote: Whether the purchase fails and may be planned again.
    /// - Returns: The changed transaction. It is `stored` when the event had happened before or the state has no such
    ///   edge, and the row as it is now when another writer was first.
    mutating func apply(
        _ event: TransactionStateMachine.Event, to stored: StoredTransaction, agreedIn storefront: String? = nil,
        keepsQuote: Bool = false
    ) async throws -> StoredTransaction {
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
        let isFirst = try await TransactionRepository.advance(
            next, body: body, from: stored, in: transaction)
        guard isFirst else {
            if next.modifiedSeq != stored.modifiedSeq { giveBackModifiedSeq() }
            return try await TransactionRepository.find(stored.id, of: customer, in: transaction) ?? stored
        }
        for action in actions { try await perform(action, next, body: body) }
        return next
    }

    private mutating func perform(
        _ action: TransactionStateMachine.Action, _ stored: StoredTransaction, body: String
    ) async throws {
        let value = stored.transaction
        switch action {
        case .journal(let kind):
            if PlantedBug.isActive(.journalRowMissing), value.transactionState == .failed { break }
            try journal(kind, value, event: StoreEvent.Kind(value.transactionState), body: body)
        case .consumeOffer:
            guard stored.terms?.offer != nil else { break }
            try await EntitlementRepository.consumeOffer(of: value, customer, in: transaction)
        case .releaseOffer:
            guard stored.terms?.offer != nil else { break }
            try await EntitlementRepository.releaseOffer(of: value, customer, in: transaction)
        case .releaseSlot:
            guard stored.terms?.productType.isSoldOneAtATime == true else { break }
            try await EntitlementRepository.releaseSlot(of: value, customer, in: transaction)
            try await TransactionRepository.release(waitingFor: value.id, of: customer, in: transaction)
            woken += try await EntitlementRepository.waiting(
                for: value.payment.productIdentifier, customer, in: transaction)
        case .grant:
            guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
            try await EntitlementRepository.grant(value, terms: terms, to: customer, in: transaction)
            guard terms.subscription == nil else { return try await changeSubscription(with: stored, terms) }
            // A product that is owned and given again is no new charge.
            if terms.ownedSince == nil { note(.purchased, of: stored, at: now) }
        }
    }

    /// Ends a purchase that is paid, or free.
    ///
    /// While a renewal of its subscription group is due or in progress it stays as it is: the renewal comes first, and
    /// the caller tries again.
    mutating func conclude(_ stored: StoredTransaction) async throws -> StoredTransaction {
        guard let terms = stored.terms else { throw StoreError(.internal, "a purchase without terms") }
        var known: StoredSubscription?
        if let key = terms.subscription?.key { known = try await subscription(group: key) }
        if known?.isBusy(at: now) == true { return stored }
        if terms.change?.isNote == true, known?.isActive(at: now) != true {
            return try await apply(.fail(Self.noSubscription), to: stored)
        }
        if let owned = terms.ownedSince {
            let product = stored.transaction.payment.productIdentifier
            guard try await EntitlementRepository.ownedSince(product, customer, in: transaction) == owned else {
                return try await apply(.fail(Self.noOwnership), to: stored)
            }
        }
        let identifier = try await TransactionRepository.nextIdentifier(of: customer.bundleId, in: transaction)
        // A concurrent purchase in the group may have been first: then this one changes it now.
        let past = known == nil ? terms.past?.start : nil
        let purchase = terms.purchase(
            transactionIdentifier: identifier, at: past ?? now, original: try await original(of: known))
        let next = try await apply(.purchase(purchase), to: stored)
        if !next.transaction.transactionIdentifier.isExactly(identifier) {
            // Another writer was first.
            try await CounterRepository.release(1, .transaction, of: customer.bundleId, in: transaction)
        }
        return next
    }

    /// The failure of a change for the next renewal whose subscription has ended. Nothing was charged.
    private static let noSubscription = TransactionError(
        .unknown, "The subscription has ended meanwhile; nothing was charged.", reason: "subscriptionEnded")

    /// The failure of a repeated purchase of a product that was taken back. Nothing was charged.
    private static let noOwnership = TransactionError(
        .unknown, "The purchase this one repeats was taken back meanwhile; nothing was charged.",
        reason: "ownershipEnded")

    /// Reads the first transaction of the group's subscription, which a customer who subscribes again continues.
    private func original(of subscription: StoredSubscription?) async throws -> PaymentTransaction? {
        guard let subscription else { return nil }
        return try await TransactionRepository.find(subscription.originalID, of: customer, in: transaction)?.transaction
    }

    /// Quarantines a purchase with another charged amount, until an operator decides.
    func quarantine(_ stored: StoredTransaction) async throws -> StoredTransaction {
        var next = stored
        next.phase = .quarantined
        return try await TransactionRepository.setPhase(of: next, in: transaction) ? next : stored
    }
}

extension CustomerTransaction {
    /// Creates a prompt for the first person who has to agree. The purchase stays as it is until the answer.
    /// - Parameters:
    ///   - kinds: Sign-in, the shopper at the sheet, then a parent or the interruption. If it is empty, the purchase is
    ///     unchanged.
    ///   - stored: The purchase, already marked as awaiting an answer.
    ///   - storefront: The shopper's storefront, when the app is asked about it.
    /// - Returns: The transaction after it: deferred when a parent is asked, failed when it is interrupted.
    /// - Throws: ``StorefrontMoved`` when the storefront is needed and not given. Then nothing is written.
    mutating func ask(
        _ kinds: [Prompt.Kind], about stored: StoredTransaction, in storefront: Storefront? = nil
    ) async throws -> StoredTransaction {
        guard let kind = kinds.first else { return stored }
        var next = stored
        switch kind {
        case .askToBuy: next = try await apply(.defer, to: stored)
        case .interrupted: next = try await apply(.fail(PaymentSheetPolicy.interrupted), to: stored, keepsQuote: true)
        case .storefrontChange:
            guard let storefront else { throw StorefrontMoved(to: account.storefront) }
            let change = StorefrontChange(storefront: storefront, answerBy: wall + PromptService.appAnswerTime)
            next = try await apply(.ask(change), to: stored)
        case .sheet, .signIn, .appPurchase, .priceConsent: break
        }
        try await PromptRepository.insert(kinds, about: next, wall: wall, in: transaction)
        return next
    }

    /// Applies an answer to a prompt that was removed in this commit.
    /// - Parameter storefront: The shopper's storefront, as Catalog has it, or nil before Catalog was asked.
    /// - Returns: The transaction the answer is about, or the new one after a resolved interruption.
    /// - Throws: ``StorefrontMoved`` when the storefront is needed and not given. Then nothing is written.
    mutating func take(
        _ answer: Prompt.Answer, error: SKErrorCode?, to prompt: StoredPrompt, about stored: StoredTransaction,
        in storefront: Storefront? = nil
    ) async throws -> StoredTransaction {
        switch prompt.purpose {
        case .purchase: break
        case .redelivery: return stored
        case .priceConsent:
            _ = try await consent(answer == .approve, about: prompt.transactionID)
            return stored
        }
        if prompt.kind == .interrupted { return answer == .approve ? try await resume(stored) : stored }
        if let failure = PaymentSheetPolicy.failure(of: answer, to: prompt.kind, error: error) {
            return try await apply(.fail(failure), to: stored)
        }
        var next = stored
        if prompt.kind == .storefrontChange {
            next = try await apply(.continuePurchase, to: stored, agreedIn: account.storefront)
        } else if hasMoved(stored) {
            let known = storefront?.countryCode == account.storefront ? storefront : nil
            return try await ask([.storefrontChange] + prompt.nextKinds, about: stored, in: known)
        }
        if !prompt.nextKinds.isEmpty { return try await ask(prompt.nextKinds, about: next) }
        next.awaitsAnswer = false
        return try await TransactionRepository.setPhase(of: next, in: transaction) ? next : stored
    }

    /// Tells whether the shopper's storefront has changed since they agreed to the terms.
    private func hasMoved(_ stored: StoredTransaction) -> Bool {
        guard let agreed = stored.terms?.storefront else { return false }
        return !agreed.isExactly(account.storefront)
    }

    /// Begins the purchase that replaces an interrupted one, with its payment, quote and device.
    ///
    /// The unique index on `supersedes` allows one.
    private mutating func resume(_ stored: StoredTransaction) async throws -> StoredTransaction {
        guard let quote = stored.quote else { throw StoreError(.internal, "an interrupted purchase without a quote") }
        var random = SystemRandomNumberGenerator()
        let purchase = NewPurchase(
            id: Identifiers.transaction(wall: wall, random: &random), payment: stored.transaction.payment,
            deviceId: stored.transaction.originDeviceId, quote: quote, request: stored.request, supersedes: stored.id)
        let plan = try await plan(purchase.payment, purchase.request, quote: quote, isResumed: true)
        return try await begin(purchase, plan)
    }
}

/// Thrown when the shopper's storefront has changed. Only Catalog has the details of the new one.
struct StorefrontMoved: Error {
    /// The shopper's storefront: an alpha-3 country code.
    let countryCode: String

    init(to countryCode: String) { self.countryCode = countryCode }
}

import Persistence
import ServiceDatabase
import StoreModels

extension CustomerTransaction {
    /// Reads the customer's subscription stored under a group, and locks it until the commit.
    ///
    /// The lock keeps renewals and other replicas out, so it is read once, until this commit writes one.
    mutating func subscription(group: String) async throws -> StoredSubscription? {
        if let lockedSubscription, lockedSubscription.group.isExactly(group) { return lockedSubscription.value }
        let value = try await SubscriptionRepository.lock(group: group, of: customer, in: transaction)
        lockedSubscription = (group, value)
        return value
    }

    /// Takes a subscription whose lock was started with the customer's.
    mutating func setSubscription(_ started: (group: String, lock: StartedQuery)?) async throws {
        guard let (group, lock) = started else { return }
        lockedSubscription = (group, try await SubscriptionRepository.locked(lock))
    }

    /// Begins, renews or changes the subscription a purchased transaction pays, effective immediately.
    ///
    /// The row decides whether it is the first purchase of the group, one after a lapse, an upgrade or a crossgrade. A
    /// scheduled change is dropped.
    mutating func subscribe(_ stored: StoredTransaction, _ terms: PurchaseTerms) async throws {
        let value = stored.transaction
        guard let bought = terms.subscription, let identifier = value.transactionIdentifier,
            let start = value.transactionDate, let end = value.expiresDate
        else { return }
        let known = try await subscription(group: bought.key)
        let purchase = SubscriptionPurchase(
            paid: SubscriptionPaid(
                id: value.id, identifier: identifier, product: value.payment.productIdentifier,
                chargeKey: terms.isFree ? nil : StoredTransaction.chargeKey(of: value.id), amount: terms.amount,
                start: start, end: end),
            terms: bought,
            offer: terms.offer.map {
                .init(applied: $0, amount: terms.amount, periodsLeft: bought.offerPeriodsLeft)
            })
        let before = known ?? .new(customer, group: bought.key, value, identifier: identifier, purchase)
        let begun = try await apply(.bought(purchase), to: before, at: start, isNew: known == nil, about: stored)
        if known == nil, terms.past?.willAutoRenew == false {
            try await apply(.autoRenewDisabled, to: begun, at: start)
        }
    }

    /// Schedules that the next renewal buys another product of the group.
    /// - Parameter identifier: The transaction that schedules it, if any.
    /// - Throws: `notFound` without a subscription, or `transactionStateInvalid` when it has ended.
    @discardableResult
    mutating func scheduleChange(
        to product: String, inGroup group: String, by identifier: String? = nil
    ) async throws -> StoredSubscription {
        try await change(group: group, .changeScheduled(to: product, by: identifier))
    }

    /// Schedules that the next renewal buys the present product again.
    /// - Throws: As ``scheduleChange(to:inGroup:by:)``.
    @discardableResult
    mutating func revertChange(inGroup group: String, by identifier: String? = nil) async throws -> StoredSubscription {
        try await change(group: group, .changeReverted(by: identifier))
    }

    /// Ends or shortens a subscription because a transaction's money or entitlement is taken back.
    ///
    /// When the transaction paid the present period, the subscription ends. When it paid a later one, the subscription
    /// ends before that period. An earlier period is recorded in the timeline only. The clock decides which period is
    /// the present one, because an operator may have renewed early.
    /// - Parameter refunded: The refunded amount, if any.
    /// - Returns: Whether the subscription has ended with it, or nil when the transaction paid no period.
    /// - Throws: `serviceUnavailable` while a renewal is being charged: call
    ///   ``RenewalService/catchUp(_:group:until:)``, then try again.
    mutating func endSubscription(
        of value: PaymentTransaction, _ ending: SubscriptionEnding, refunded: Money?
    ) async throws -> Bool? {
        guard let paid = try await SubscriptionPeriodRepository.find(transactionID: value.id, in: transaction),
            let known = try await SubscriptionRepository.lock(
                originalID: paid.originalID, of: customer, in: transaction)
        else { return nil }
        try known.requireUnclaimed()
        guard paid.index == known.period.index || paid.end > now, known.state.isExisting else {
            try await note(
                ending == .refunded ? .refunded : .revoked, of: known, about: value, period: paid.index,
                amount: refunded)
            return false
        }
        let taken = SubscriptionTakenBack(
            ending: ending, refunded: refunded, period: paid.index, identifier: value.transactionIdentifier)
        if known.state == .subscribed, paid.start > now {
            try await apply(.curtailed(taken, at: paid.start), to: known, at: now)
            return false
        }
        try await apply(.ended(taken), to: known, at: now)
        return true
    }

    /// Records a period's partial refund in the timeline, because another product replaces the period.
    /// - Parameter value: The transaction that is refunded.
    func noteProratedRefund(_ amount: Money, of value: PaymentTransaction) async throws {
        guard let paid = try await SubscriptionPeriodRepository.find(transactionID: value.id, in: transaction),
            let known = try await SubscriptionRepository.lock(
                originalID: paid.originalID, of: customer, in: transaction)
        else { return }
        try await note(.refundedProrated, of: known, about: value, period: paid.index, amount: amount)
    }

    private func note(
        _ kind: SubscriptionEvent.Kind, of known: StoredSubscription, about value: PaymentTransaction, period: Int,
        amount: Money?
    ) async throws {
        let event = SubscriptionEvent(
            at: now, kind: kind, originalTransactionIdentifier: known.originalIdentifier,
            productIdentifier: value.payment.productIdentifier, amount: amount,
            transactionIdentifier: value.transactionIdentifier, period: period)
        try await SubscriptionEventRepository.insert(event, account: account.account, of: known, in: transaction)
    }

    private mutating func change(group: String, _ event: SubscriptionTransition) async throws -> StoredSubscription {
        guard let known = try await subscription(group: group) else {
            throw StoreError(.notFound, "no such subscription")
        }
        try known.requireUnclaimed()
        return try await apply(event, to: known, at: now)
    }

    /// Applies an event to a subscription this commit has locked, and writes its actions.
    /// - Parameter stored: The transaction it is about, or nil for the present period's.
    @discardableResult
    mutating func apply(
        _ event: SubscriptionTransition, to known: StoredSubscription, at: Timestamp, isNew: Bool = false,
        about stored: StoredTransaction? = nil
    ) async throws -> StoredSubscription {
        var machine = SubscriptionStateMachine(known, at: at)
        let actions = try machine.handle(event)
        guard isNew || machine.value != known || !actions.isEmpty else { return known }
        try await releaseWaiting(after: known)
        return try await write(machine.value, actions, about: stored, before: isNew ? nil : known)
    }

    /// Resumes purchases that wait for a renewal in quarantine, because its subscription changes.
    func releaseWaiting(after known: StoredSubscription) async throws {
        guard known.isQuarantined else { return }
        try await TransactionRepository.release(waitingFor: known.originalID, of: customer, in: transaction)
    }

    mutating func write(
        _ value: StoredSubscription, _ actions: [SubscriptionAction], about stored: StoredTransaction?,
        before: StoredSubscription?
    ) async throws -> StoredSubscription {
        let written = try await write(value, isNew: before == nil)
        for action in actions {
            switch action {
            case .record(let event):
                try await SubscriptionEventRepository.insert(
                    event, account: account.account, of: written, in: transaction)
                try await journal(event, of: written, about: stored?.transaction)
                note(event, of: written, before: before, about: stored)
            case .writePeriod(let paid, let index):
                try await SubscriptionPeriodRepository.insert(paid, index: index, of: written, in: transaction)
            case .askConsent(let id): try await askConsent(about: id)
            case .withdrawConsent(let id):
                try await PromptRepository.withdraw(about: id, .priceConsent, customer, in: transaction)
            case .writeGroup(let group, let product):
                try await SubscriptionGroupRepository.insert(group, of: product, written, in: transaction)
            case .cutPeriods(let end):
                try await SubscriptionPeriodRepository.cut(at: end, of: written.originalID, in: transaction)
            case .extendPeriod(let index, let end):
                try await SubscriptionPeriodRepository.setEnd(
                    end, ofPeriod: index, of: written.originalID, in: transaction)
            }
        }
        return written
    }

    /// Journals the events of a subscription that its transactions' states do not show.
    private mutating func journal(
        _ event: SubscriptionEvent, of written: StoredSubscription, about paid: PaymentTransaction?
    ) async throws {
        guard let kind = StoreEvent.Kind(event.kind) else { return }
        var value = paid
        if value == nil {
            value = try await TransactionRepository.find(written.period.transactionID, of: customer, in: transaction)?
                .transaction
        }
        guard var value else { return }
        value.priceIncrease = written.priceIncrease
        try journal(.subscriptionChanged, value, event: kind)
    }

    private mutating func write(_ value: StoredSubscription, isNew: Bool) async throws -> StoredSubscription {
        lockedSubscription = nil
        guard !isNew else {
            try await SubscriptionRepository.insert(value, in: transaction)
            return value
        }
        guard let written = try await SubscriptionRepository.update(value, in: transaction) else {
            throw StoreError(.internal, "a subscription was changed outside its lock")
        }
        return written
    }
}

extension StoredSubscription {
    /// Makes a subscription without a paid period.
    fileprivate static func new(
        _ customer: CustomerReference, group: String, _ value: PaymentTransaction, identifier: String,
        _ purchase: SubscriptionPurchase
    ) -> StoredSubscription {
        StoredSubscription(
            customer: customer, group: group, paidGroup: purchase.terms.group, originalID: value.id,
            originalIdentifier: identifier, revision: 1,
            state: .subscribed, product: purchase.paid.product, level: purchase.terms.level,
            length: purchase.terms.length,
            period: Period(
                index: -1, start: purchase.paid.start, end: purchase.paid.end, transactionID: value.id,
                transactionIdentifier: identifier),
            anchor: RenewalSchedule.Anchor(at: purchase.paid.start, count: 0), willAutoRenew: true,
            renewProduct: purchase.paid.product, rate: purchase.terms.rate, renewals: 0, failsNext: false)
    }

    /// Tells whether a charge is in progress, or something has fallen due.
    func isBusy(at now: Timestamp) -> Bool { attempt != nil || dueAt.map { $0 <= now } ?? false }

    /// Checks that no renewal is due or in progress.
    /// - Throws: As ``requireUnclaimed()``, and also `serviceUnavailable` when something has fallen due.
    func requireIdle(at now: Timestamp) throws(StoreError) {
        try requireUnclaimed()
        guard !isBusy(at: now) else {
            throw StoreError(.serviceUnavailable, "a renewal has to end first; ask again", retryAfterMs: 200)
        }
    }

    /// Checks that no renewal is being charged: until it ends, nothing else may happen to the subscription.
    /// - Throws: `serviceUnavailable` while a renewal is being charged, or `transactionStateInvalid` when an operator
    ///   has to end it.
    func requireUnclaimed() throws(StoreError) {
        guard attempt != nil else { return }
        guard !isQuarantined else {
            throw StoreError(
                .transactionStateInvalid,
                """
                a renewal was charged another amount than agreed; an operator has to resolve or expire the \
                subscription
                """,
                details: ["state": .string(state.rawValue)])
        }
        throw StoreError(
            .serviceUnavailable, "a renewal of this subscription is being charged; ask again", retryAfterMs: 200)
    }
}

extension StoreEvent.Kind {
    /// Returns the store event of a timeline entry.
    /// - Returns: The event, or nil for an entry whose transaction has an event of its own.
    fileprivate init?(_ kind: SubscriptionEvent.Kind) {
        switch kind {
        case .expired: self = .expired
        case .billingRetryStarted: self = .billingRetryStarted
        case .gracePeriodStarted: self = .gracePeriodStarted
        case .gracePeriodExpired: self = .gracePeriodExpired
        case .recovered: self = .recovered
        case .autoRenewEnabled: self = .autoRenewEnabled
        case .autoRenewDisabled: self = .autoRenewDisabled
        case .changeScheduled, .changeReverted: self = .renewalPreferenceChanged
        case .upgraded: self = .upgraded
        case .extended: self = .extended
        case .priceIncreasePending: self = .priceIncreasePending
        case .priceIncreaseAgreed: self = .priceIncreaseAgreed
        case .priceIncreaseDeclined: self = .priceIncreaseDeclined
        case .subscribed, .resubscribed, .renewed, .billingFailed, .crossgraded, .refunded, .revoked,
            .refundedProrated, .priceChanged, .groupChanged,
            .priceIncreaseWithdrawn:
            return nil
        }
    }
}

/// Changes a group's subscription when one of its products is purchased.
extension CustomerTransaction {
    /// Applies a purchase to its subscription: immediately, or as a note for the next renewal.
    mutating func changeSubscription(with stored: StoredTransaction, _ terms: PurchaseTerms) async throws {
        let value = stored.transaction
        guard let group = terms.subscription?.key else { return }
        switch terms.change {
        case .scheduled:
            // A customer who buys the next renewal wants it charged.
            if let known = try await subscription(group: group), !known.willAutoRenew {
                try await apply(.autoRenewEnabled, to: known, at: now)
            }
            try await scheduleChange(
                to: value.payment.productIdentifier, inGroup: group, by: value.transactionIdentifier)
        case .reverted:
            try await revertChange(inGroup: group, by: value.transactionIdentifier)
        // Also when nothing was active at the time of the terms: two products may have been bought concurrently. The
        // one that is paid later counts, and the other's money is refunded.
        case .upgrade, .crossgrade, .downgrade, nil:
            try await replacePeriod(with: value, inGroup: group)
            try await subscribe(stored, terms)
        }
    }

    /// Refunds the unused part of the periods that a purchase replaces.
    ///
    /// These are the latest one, and other unfinished ones, which exist when an operator has renewed early or the clock
    /// was set back.
    private mutating func replacePeriod(with value: PaymentTransaction, inGroup group: String) async throws {
        guard let known = try await subscription(group: group), known.isActive(at: now) else { return }
        try await replace(
            known.period.transactionID, from: known.period.start, to: known.period.end,
            key: StoredRefund.proratedKey(of: value.id))
        for other in try await SubscriptionPeriodRepository.others(than: known, endingAfter: now, in: transaction) {
            try await replace(
                other.id, from: other.start, to: other.end,
                key: StoredRefund.proratedKey(of: value.id, period: other.index))
        }
    }

    private mutating func replace(
        _ id: String, from start: Timestamp, to end: Timestamp, key: String
    ) async throws {
        guard let replaced = try await TransactionRepository.find(id, of: customer, in: transaction) else { return }
        var upgraded = replaced.transaction
        upgraded.isUpgraded = true
        try await rewrite(upgraded, from: replaced, event: nil)
        guard let paid = replaced.transaction.price else { return }
        let unused = RefundRules.unused(of: paid.minorUnits, start: start, end: end, now: now)
        let left = try await RefundRepository.left(of: replaced, in: transaction)
        let amount = Money(minorUnits: min(unused, left), currency: paid.currency)
        guard amount.minorUnits > 0 else { return }
        try await RefundRepository.insert(key: key, of: replaced, amount, wall: wall, in: transaction)
        try await noteProratedRefund(amount, of: replaced.transaction)
    }

    /// Writes a later change of a purchased transaction as its next revision.
    ///
    /// Observers are notified while it is in their queue. An event is journalled in any case.
    @discardableResult
    mutating func rewrite(
        _ value: PaymentTransaction, from stored: StoredTransaction, event: StoreEvent.Kind?
    ) async throws -> StoredTransaction {
        var next = stored
        next.transaction = value
        next.transaction.revision = stored.transaction.revision + 1
        if stored.modifiedSeq != nil { next.modifiedSeq = nextModifiedSeq() }
        next.refundSeq = value.isRefunded ? stored.refundSeq ?? next.modifiedSeq : nil
        let body = try StoredJSON.text(next.transaction)
        try await PaymentRepository.keepReply(of: stored.id, customer, in: transaction)
        guard try await TransactionRepository.rewrite(next, body: body, in: transaction) else {
            throw StoreError(.internal, "a transaction of a locked customer has changed")
        }
        if !stored.isFinished {
            try journal(.updated, next.transaction, event: event, body: body)
        } else if let event {
            try journal(.subscriptionChanged, next.transaction, event: event, body: body)
        }
        return next
    }
}

extension CustomerTransaction {
    /// Sets the product that the customer wants the next renewal to buy.
    /// - Throws: `requestInvalid` for a product that takes effect immediately and is bought instead, or
    ///   `transactionStateInvalid`.
    mutating func prefer(
        _ wanted: SubscriptionChangePolicy.Wanted, to known: StoredSubscription
    ) async throws -> StoredSubscription {
        switch SubscriptionChangePolicy.decide(wanted, known, now: now) {
        case .schedule: return try await apply(.changeScheduled(to: wanted.product, by: nil), to: known, at: now)
        case .revert: return try await apply(.changeReverted(by: nil), to: known, at: now)
        case .alreadySubscribed: return known
        case .replace:
            throw StoreError.requestInvalid("autoRenewProductIdentifier", "buy it: this change takes effect at once")
        case .begin: throw StoreError(.transactionStateInvalid, "the subscription has ended; buy the product")
        }
    }

    /// Writes another expiry into the transaction of the present period. Observers are notified while it is unfinished.
    /// - Returns: The transaction after it, or nil when it was deleted.
    mutating func move(_ id: String, expiry: Timestamp) async throws -> PaymentTransaction? {
        guard let stored = try await TransactionRepository.find(id, of: customer, in: transaction) else { return nil }
        var next = stored
        next.transaction.expiresDate = expiry
        next.transaction.revision += 1
        if stored.modifiedSeq != nil { next.modifiedSeq = nextModifiedSeq() }
        let body = try StoredJSON.text(next.transaction)
        try await PaymentRepository.keepReply(of: id, customer, in: transaction)
        guard try await TransactionRepository.advance(next, body: body, from: stored, in: transaction) else {
            throw StoreError(.internal, "a transaction was changed outside its customer's lock")
        }
        try journal(stored.isFinished ? .subscriptionChanged : .updated, next.transaction, event: nil, body: body)
        return next.transaction
    }
}

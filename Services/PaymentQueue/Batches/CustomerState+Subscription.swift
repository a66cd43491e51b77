import Persistence
import ServiceDatabase
import StoreModels

/// Reads subscriptions and their periods, with the changes of this decision.
extension CustomerState {
    /// Returns the lookups of a subscription and of its latest transaction.
    static func lookups(about known: StoredSubscription) -> [SQLLookupKey] {
        [
            SubscriptionRepository.allLocked(of: known.customer).key,
            TransactionRepository.find(known.period.transactionID, of: known.customer).key,
        ]
    }

    /// Reads the customer's subscriptions. They are locked until the commit.
    func subscriptions() throws -> [StoredSubscription] {
        let stored = try read(SubscriptionRepository.allLocked(of: customer))
        var written = writtenSubscriptions
        let known = stored.map { written.removeValue(forKey: ExactText($0.originalID)) ?? $0 }
        return known + written.values.sorted { ExactText($0.originalID) < ExactText($1.originalID) }
    }

    /// Finds the subscription that is stored under a group.
    func subscription(group: String) throws -> StoredSubscription? {
        try subscriptions().first { $0.group.isExactly(group) }
    }

    /// Finds a subscription by its first transaction's `id`.
    func subscription(originalID: String) throws -> StoredSubscription? {
        try subscriptions().first { $0.originalID.isExactly(originalID) }
    }

    /// Finds the subscription in which a transaction has paid a period.
    func subscription(paidBy stored: StoredTransaction) throws -> StoredSubscription? {
        try period(paidBy: stored.id).flatMap { try subscription(originalID: $0.originalID) }
    }

    /// Finds the period a transaction has paid.
    func period(paidBy id: String) throws -> SubscriptionPeriodRepository.Stored? {
        if let put = periodChanges.over([]).first(where: { $0.id.isExactly(id) }) { return put }
        let found = try read(SubscriptionPeriodRepository.find(transactionID: id)).map { [$0] } ?? []
        return periodChanges.over(found).first { $0.id.isExactly(id) }
    }

    /// Reads the later periods of the same subscription that are not over at an instant, the last one first.
    func periods(
        laterThan paid: SubscriptionPeriodRepository.Stored, endingAfter instant: Timestamp
    ) throws -> [SubscriptionPeriodRepository.Stored] {
        try periods(of: paid.originalID, endingAfter: instant).filter { $0.index > paid.index }.reversed()
    }

    /// Reads a subscription's periods that are not over at an instant, in order.
    private func periods(
        of originalID: String, endingAfter instant: Timestamp
    ) throws -> [SubscriptionPeriodRepository.Stored] {
        let found = try read(SubscriptionPeriodRepository.unfinished(of: originalID, endingAfter: instant))
        return periodChanges.over(found).filter { $0.originalID.isExactly(originalID) && $0.end > instant }
            .sorted { $0.index < $1.index }
    }
}

/// The changes of subscriptions' periods in one decision, in order.
struct PeriodChanges: Sendable {
    private enum Change: Sendable {
        case put(SubscriptionPeriodRepository.Stored)
        case cut(originalID: String, at: Timestamp)
    }

    private var changes: [Change] = []

    /// Adds a period that was inserted or extended, as it is now.
    mutating func put(_ period: SubscriptionPeriodRepository.Stored) { changes.append(.put(period)) }

    /// Adds the end of all periods of a subscription at an instant.
    mutating func cut(_ originalID: String, at end: Timestamp) {
        changes.append(.cut(originalID: originalID, at: end))
    }

    /// Returns rows as the changes leave them, with all inserted and extended ones.
    ///
    /// The query leaves out periods that have ended. A cut does not change those, since no decision cuts before its own
    /// instant, and an extended one is put as a whole.
    func over(_ found: [SubscriptionPeriodRepository.Stored]) -> [SubscriptionPeriodRepository.Stored] {
        var rows = found
        for change in changes {
            switch change {
            case .put(let period):
                rows.removeAll { $0.id.isExactly(period.id) }
                rows.append(period)
            case .cut(let originalID, let end):
                for index in rows.indices where rows[index].originalID.isExactly(originalID) && rows[index].end > end {
                    rows[index].end = max(rows[index].start, end)
                }
            }
        }
        return rows
    }
}

/// Changes subscriptions.
extension CustomerState {
    /// Applies an event to a subscription, and writes its actions.
    /// - Parameter stored: The transaction it is about, or nil for the present period's.
    @discardableResult
    mutating func apply(
        _ event: SubscriptionTransition, to known: StoredSubscription, at: Timestamp, isNew: Bool = false,
        about stored: StoredTransaction? = nil
    ) throws -> StoredSubscription {
        var machine = SubscriptionStateMachine(known, at: at)
        let actions = try machine.handle(event)
        guard isNew || machine.value != known || !actions.isEmpty else { return known }
        return try write(machine.value, actions, about: stored, before: isNew ? nil : known)
    }

    /// Writes a subscription's next revision and its actions. Purchases that wait for its quarantine go on.
    /// - Parameter before: Nil for a new subscription.
    mutating func write(
        _ value: StoredSubscription, _ actions: [SubscriptionAction], about stored: StoredTransaction?,
        before: StoredSubscription?
    ) throws -> StoredSubscription {
        if let before, before.isQuarantined {
            write(TransactionRepository.release(waitingFor: before.originalID, of: customer))
        }
        var written = value
        if before == nil {
            write(try SubscriptionRepository.insert(value))
        } else {
            write(try SubscriptionRepository.update(value))
            written.revision += 1
        }
        writtenSubscriptions[ExactText(written.originalID)] = written
        // A grace period gives access and makes no transaction, so only this makes the buyer's family look again.
        if value.state == .inGracePeriod, before?.state != .inGracePeriod { write(FamilyRepository.touch(customer)) }
        for action in actions {
            switch action {
            case .record(let event):
                write(try SubscriptionEventRepository.insert(event, account: account.account, of: written))
                try journal(event, of: written, about: stored?.transaction)
                note(event, of: written, before: before, about: stored)
            case .writePeriod(let paid, let index):
                write(SubscriptionPeriodRepository.insert(paid, index: index, of: written))
                periodChanges.put(.init(paid, index: index, of: written.originalID))
            case .askConsent(let id):
                // A new transaction has no prompt, and one that is withdrawn here is asked about anew.
                let isAnew = stored?.id.isExactly(id) == true || actions.contains(.withdrawConsent(about: id))
                try askConsent(about: id, isAnew: isAnew)
            case .withdrawConsent(let id):
                write(PromptRepository.withdraw(about: id, .priceConsent, customer))
            case .writeGroup(let group, let product):
                write(SubscriptionGroupRepository.insert(group, of: product, written))
            case .cutPeriods(let end):
                write(SubscriptionPeriodRepository.cut(at: end, of: written.originalID))
                periodChanges.cut(written.originalID, at: end)
            case .extendPeriod(let index, let end):
                write(SubscriptionPeriodRepository.setEnd(end, ofPeriod: index, of: written.originalID))
                periodChanges.put(.init(latestOf: written))
            }
        }
        return written
    }

    /// Journals the events of a subscription that its transactions' states do not show.
    private mutating func journal(
        _ event: SubscriptionEvent, of written: StoredSubscription, about paid: PaymentTransaction?
    ) throws {
        guard let kind = StoreEvent.Kind(event.kind),
            var value = try paid ?? transaction(written.period.transactionID)?.transaction
        else { return }
        value.priceIncrease = written.priceIncrease
        try journal(.subscriptionChanged, value, event: kind, at: event.at)
    }

    /// Sets the product that the customer wants the next renewal to buy.
    /// - Throws: `requestInvalid` for a product that takes effect immediately and is bought instead, or
    ///   `transactionStateInvalid`.
    mutating func prefer(
        _ wanted: SubscriptionChangePolicy.Wanted, to known: StoredSubscription
    ) throws -> StoredSubscription {
        switch SubscriptionChangePolicy.decide(wanted, known, now: now) {
        case .schedule:
            return try apply(
                .changeScheduled(to: wanted.product, plan: wanted.plan, by: nil), to: known, at: now)
        case .revert: return try apply(.changeReverted(by: nil), to: known, at: now)
        case .alreadySubscribed: return known
        case .replace:
            throw StoreError.requestInvalid("autoRenewProductIdentifier", "buy it: this change takes effect at once")
        case .begin: throw StoreError(.transactionStateInvalid, "the subscription has ended; buy the product")
        }
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
    ) throws -> Bool? {
        guard let paid = try period(paidBy: value.id),
            let known = try subscription(originalID: paid.originalID)
        else { return nil }
        try known.requireUnclaimed()
        guard paid.index == known.period.index || paid.end > now, known.state.isExisting else {
            try record(
                ending == .refunded ? .refunded : .revoked, of: known, about: value, period: paid.index,
                amount: refunded)
            return false
        }
        let taken = SubscriptionTakenBack(
            ending: ending, refunded: refunded, period: paid.index, identifier: value.transactionIdentifier)
        if known.state == .subscribed, paid.start > now {
            try apply(.curtailed(taken, at: paid.start), to: known, at: now)
            return false
        }
        try apply(.ended(taken), to: known, at: now)
        return true
    }

    /// Records in the timeline what happens to a transaction without a change of its subscription.
    private mutating func record(
        _ kind: SubscriptionEvent.Kind, of known: StoredSubscription, about value: PaymentTransaction, period: Int,
        amount: Money?
    ) throws {
        let event = SubscriptionEvent(
            at: now, kind: kind, originalTransactionIdentifier: known.originalIdentifier,
            productIdentifier: value.payment.productIdentifier, amount: amount,
            transactionIdentifier: value.transactionIdentifier, period: period)
        write(try SubscriptionEventRepository.insert(event, account: account.account, of: known))
    }
}

/// Changes a group's subscription when one of its products is purchased.
extension CustomerState {
    /// Applies a purchase to its subscription: immediately, or as a note for the next renewal.
    /// - Throws: For a note, `notFound` without a subscription, or `transactionStateInvalid` when it has ended.
    mutating func changeSubscription(with stored: StoredTransaction, _ terms: PurchaseTerms) throws {
        guard let group = terms.subscription?.key else { return }
        let value = stored.transaction
        let found = try subscription(group: group)
        guard terms.change?.isNote == true else {
            // Also when nothing was active at the time of the terms: two products may have been bought concurrently.
            // The one that is paid later counts, and the other's money is refunded.
            if let found, found.isActive(at: now) { try replacePeriods(of: found, with: value) }
            return try subscribe(stored, terms, found)
        }
        guard var known = found else { throw StoreError(.notFound, "no such subscription") }
        try known.requireUnclaimed()
        let identifier = value.transactionIdentifier
        guard terms.change == .scheduled else {
            try apply(.changeReverted(by: identifier), to: known, at: now)
            return
        }
        // A customer who buys the next renewal wants it charged.
        if !known.renewsAfterwards { known = try apply(.autoRenewEnabled, to: known, at: now) }
        try apply(
            .changeScheduled(
                to: value.payment.productIdentifier, plan: terms.subscription?.billingPlan, by: identifier),
            to: known, at: now)
    }

    /// Begins, renews or changes the subscription a purchased transaction pays, effective immediately.
    ///
    /// The row decides whether it is the first purchase of the group, one after a lapse, an upgrade or a crossgrade. A
    /// scheduled change is dropped.
    private mutating func subscribe(
        _ stored: StoredTransaction, _ terms: PurchaseTerms, _ known: StoredSubscription?
    ) throws {
        let value = stored.transaction
        guard let bought = terms.subscription, let identifier = value.transactionIdentifier,
            let start = value.transactionDate, let end = value.expiresDate
        else { return }
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
        let begun = try apply(.bought(purchase), to: before, at: start, isNew: known == nil, about: stored)
        if known == nil, terms.past?.willAutoRenew == false { try apply(.autoRenewDisabled, to: begun, at: start) }
    }

    /// Refunds the unused part of the periods that a purchase replaces.
    ///
    /// These are the latest one, and other unfinished ones, which exist when an operator has renewed early or the clock
    /// was set back.
    private mutating func replacePeriods(of known: StoredSubscription, with value: PaymentTransaction) throws {
        let latest = SubscriptionPeriodRepository.Stored(latestOf: known)
        try need(
            [SubscriptionPeriodRepository.unfinished(of: known.originalID, endingAfter: now).key]
                + lookups(replacing: latest.id))
        let others = try periods(of: known.originalID, endingAfter: now).filter { $0.index != latest.index }
        try need(others.flatMap { lookups(replacing: $0.id) })
        try replace(latest, of: known, key: StoredRefund.proratedKey(of: value.id))
        for other in others {
            try replace(other, of: known, key: StoredRefund.proratedKey(of: value.id, period: other.index))
        }
    }

    private func lookups(replacing id: String) -> [SQLLookupKey] {
        [TransactionRepository.find(id, of: customer).key, RefundRepository.refunded(id).key]
    }

    private mutating func replace(
        _ period: SubscriptionPeriodRepository.Stored, of known: StoredSubscription, key: String
    ) throws {
        guard let replaced = try transaction(period.id) else { return }
        var upgraded = replaced.transaction
        upgraded.isUpgraded = true
        try rewrite(upgraded, from: replaced, event: nil)
        guard let paid = replaced.transaction.price else { return }
        let unused = RefundRules.unused(of: paid.minorUnits, start: period.start, end: period.end, now: now)
        guard let amount = try refund(unused, of: replaced, key: key) else { return }
        try record(
            .refundedProrated, of: known, about: replaced.transaction, period: period.index, amount: amount)
    }

    /// Writes a later change of a purchased transaction as its next revision.
    ///
    /// Observers are notified while it is in their queue.
    /// - Parameter tellsFinished: Whether a finished one is journalled too, for its signed form. False for
    ///   the copies and renewals of a purchase.
    @discardableResult
    mutating func rewrite(
        _ value: PaymentTransaction, from stored: StoredTransaction, event: StoreEvent.Kind?, tellsFinished: Bool = true
    ) throws -> StoredTransaction {
        var next = stored
        next.transaction = value
        next.transaction.revision = stored.transaction.revision + 1
        if stored.modifiedSeq != nil { next.modifiedSeq = nextModifiedSeq() }
        next.refundSeq = value.isRefunded ? stored.refundSeq ?? next.modifiedSeq : nil
        let body = try StoredJSON.text(next.transaction)
        write(PaymentRepository.keepReply(of: stored.id, customer))
        write(TransactionRepository.rewrite(next, body: body), leaving: next)
        if !stored.isFinished {
            try journal(.updated, next.transaction, event: event, body: body)
        } else if tellsFinished {
            try journal(.subscriptionChanged, next.transaction, event: event, body: body)
        }
        return next
    }

    /// Writes another expiry into the transaction of the present period. Observers are notified while it is unfinished.
    /// - Parameter value: The subscription with the other expiry.
    /// - Returns: The transaction after it, or nil when it was deleted.
    mutating func moveExpiry(to value: StoredSubscription) throws -> PaymentTransaction? {
        guard let stored = try transaction(value.period.transactionID) else { return nil }
        var next = stored
        next.transaction.expiresDate = value.period.end
        next.transaction.commitment = value.plan?.commitment
        next.transaction.revision += 1
        if stored.modifiedSeq != nil { next.modifiedSeq = nextModifiedSeq() }
        let body = try StoredJSON.text(next.transaction)
        write(PaymentRepository.keepReply(of: stored.id, customer))
        write(try TransactionRepository.advance(next, body: body, from: stored), leaving: next)
        try journal(stored.isFinished ? .subscriptionChanged : .updated, next.transaction, event: nil, body: body)
        return next.transaction
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

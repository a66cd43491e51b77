import ServiceDatabase
import StoreModels

/// What a purchased subscription product does to the subscription of its group.
extension CustomerCommit {
    /// At once, in the place of the present period, or as a note for the next renewal.
    mutating func changeSubscription(with value: PaymentTransaction, _ terms: PurchaseTerms) async throws {
        guard let group = terms.subscription?.key else { return }
        switch terms.change {
        case .scheduled:
            // Whoever buys the next renewal wants one.
            if let known = try await subscription(group: group), !known.willAutoRenew {
                try await apply(.autoRenewEnabled, to: known, at: now)
            }
            try await scheduleChange(
                to: value.payment.productIdentifier, inGroup: group, by: value.transactionIdentifier)
        case .reverted:
            try await revertChange(inGroup: group, by: value.transactionIdentifier)
        // Also where nothing was active when it was sold: two products may have been bought at once. The one that is paid
        // later counts, and the other's money is given back.
        case .upgrade, .crossgrade, .downgrade, nil:
            try await replacePeriod(with: value, inGroup: group)
            try await subscribe(value, terms)
        }
    }

    /// Gives back what was paid for the rest of the periods that a purchase takes the place of: the latest one, and others
    /// that are not over, because an operator has renewed early or the clock was set back.
    private mutating func replacePeriod(with value: PaymentTransaction, inGroup group: String) async throws {
        guard let known = try await subscription(group: group), known.isActive(at: now) else { return }
        try await replace(
            known.activeID, from: known.periodStart, to: known.activeUntil, key: StoredRefund.proratedKey(of: value.id))
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
        let unused = RefundPolicy.unused(of: paid.minorUnits, start: start, end: end, now: now)
        let left = try await RefundOutbox.left(of: replaced, in: transaction)
        let amount = Money(minorUnits: min(unused, left), currency: paid.currency)
        guard amount.minorUnits > 0 else { return }
        try await RefundOutbox.insert(key: key, of: replaced, amount, wall: wall, in: transaction)
        try await noteProratedRefund(amount, of: replaced.transaction)
    }

    /// Writes what has become of a purchased transaction since. Observers hear of it while it is in their queue; an event
    /// is one in any case.
    @discardableResult
    mutating func rewrite(
        _ value: PaymentTransaction, from stored: StoredTransaction, event: StoreEvent.Kind?
    ) async throws -> StoredTransaction {
        var next = stored
        next.transaction = value
        next.transaction.revision = stored.transaction.revision + 1
        let body = try StoredJSON.text(next.transaction)
        guard try await TransactionRepository.rewrite(next.transaction, body: body, of: customer, in: transaction)
        else {
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

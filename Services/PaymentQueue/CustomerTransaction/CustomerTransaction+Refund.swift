import StoreModels

extension CustomerTransaction {
    /// Takes a purchase back, with its money (`refunded`) or without (`revoked`).
    ///
    /// The commit ends the entitlement, journals the change for observers and all devices, and records a refund if one
    /// is due. A purchase that was taken back before is unchanged. The introductory offer stays used (M128), and an
    /// idempotency key keeps its first reply.
    /// - Returns: The transaction as it is now.
    /// - Throws: `transactionStateInvalid` for a transaction that is no purchase; `serviceUnavailable` while a renewal
    ///   of its subscription is being charged.
    mutating func takeBack(
        _ stored: StoredTransaction, _ ending: SubscriptionEnding, reason: RefundRequest.Reason
    ) async throws -> StoredTransaction {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true else {
            throw StoreError(
                .transactionStateInvalid, "only a purchase can be taken back",
                details: ["transactionState": .string(value.transactionState.rawValue)])
        }
        guard value.revocationDate == nil else { return stored }
        let refunded = ending == .refunded ? try await giveBack(stored) : nil
        var revoked = value
        (revoked.revocationDate, revoked.revocationReason) = (now, reason)
        let renews = try await willRenew(stored)
        let isEnded = try await end(stored, terms, ending, refunded: refunded, reason: reason)
        let next = try await rewrite(revoked, from: stored, event: ending == .refunded ? .refunded : .revoked)
        try await note(ending, of: next, endsRenewal: renews)
        if isEnded {
            let seq = try journalRevocation(of: next.transaction)
            try await RevocationRepository.insert(next.transaction, seq: seq, of: customer, in: transaction)
        }
        return next
    }

    /// Records the refund that is sent to the processor.
    /// - Returns: The refunded amount; nil when nothing is left to refund.
    private func giveBack(_ stored: StoredTransaction) async throws -> Money? {
        guard let paid = stored.transaction.price else { return nil }
        let left = try await RefundRepository.left(of: stored, in: transaction)
        guard left > 0 else { return nil }
        let amount = Money(minorUnits: left, currency: paid.currency)
        try await RefundRepository.insert(
            key: StoredRefund.key(of: stored.id), of: stored, amount, wall: wall, in: transaction)
        return amount
    }

    /// Ends what the purchase gave.
    /// - Returns: Whether the customer has lost something by it. Consumables are used up, of a subscription only the
    ///   present period counts, and a free copy of a non-consumable gives nothing that the first purchase does not.
    private mutating func end(
        _ stored: StoredTransaction, _ terms: PurchaseTerms, _ ending: SubscriptionEnding, refunded: Money?,
        reason: RefundRequest.Reason
    ) async throws -> Bool {
        switch terms.productType {
        case .consumable: return false
        case .nonRenewable: return true
        case .nonConsumable:
            try await takeBackCopies(of: stored.transaction, reason: reason)
            return try await EntitlementRepository.takeAway(stored.id, from: customer, in: transaction)
        case .autoRenewable:
            for later in try await laterPeriods(than: stored) { _ = try await takeBack(later, ending, reason: reason) }
            return try await endSubscription(of: stored.transaction, ending, refunded: refunded) ?? false
        }
    }

    /// Takes back free copies and restored transactions of a purchase.
    ///
    /// They end with it, as on the customer's devices.
    private mutating func takeBackCopies(of value: PaymentTransaction, reason: RefundRequest.Reason) async throws {
        for copy in try await TransactionRepository.copies(of: value, customer, in: transaction)
        where copy.transaction.revocationDate == nil {
            var revoked = copy.transaction
            (revoked.revocationDate, revoked.revocationReason) = (now, reason)
            try await rewrite(revoked, from: copy, event: nil)
        }
    }

    /// Reads the periods after one that is not over, the last one first.
    ///
    /// Periods that were taken back are left out.
    ///
    /// Such periods exist when an operator has renewed early, or the clock was set back. None of them continues without
    /// it.
    private func laterPeriods(than stored: StoredTransaction) async throws -> [StoredTransaction] {
        guard let paid = try await SubscriptionPeriodRepository.find(transactionID: stored.id, in: transaction),
            paid.end > now
        else { return [] }
        var later: [StoredTransaction] = []
        for id in try await SubscriptionPeriodRepository.later(than: paid, endingAfter: now, in: transaction) {
            let found = try await TransactionRepository.find(id, of: customer, in: transaction)
            if let found, found.transaction.revocationDate == nil { later.append(found) }
        }
        return later
    }
}

import StoreModels

extension CustomerTransaction {
    /// Takes a purchase back, with its money (`refunded`) or without (`revoked`).
    ///
    /// The commit ends the entitlement, journals the change for observers and all devices, and records a refund if one
    /// is due. A purchase that was taken back before is unchanged. The introductory offer stays used (M128), and an
    /// idempotency key keeps its first reply. A refund grants the customer's open request for one.
    /// - Parameter share: The refunded part of the price. A revocation ignores it.
    /// - Returns: The transaction as it is now.
    /// - Throws: `transactionStateInvalid` for a transaction that is not a purchase, or `serviceUnavailable` while a
    ///   renewal of its subscription is being charged.
    mutating func takeBack(
        _ stored: StoredTransaction, _ ending: SubscriptionEnding, share: RefundPortion = .full,
        reason: RefundRequest.Reason
    ) async throws -> StoredTransaction {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true else {
            throw StoreError(
                .transactionStateInvalid, "only a purchase can be taken back",
                details: ["transactionState": .string(value.transactionState.rawValue)])
        }
        if ending == .refunded {
            try await RefundRequestRepository.decide(.granted, about: stored.id, at: now, in: transaction)
        }
        guard value.revocationDate == nil else { return stored }
        let refunded = ending == .refunded ? try await refund(stored, share) : nil
        var revoked = value
        (revoked.revocationDate, revoked.revocationReason) = (now, reason)
        if ending == .refunded {
            (revoked.revocationType, revoked.revocationPercentage) = (share.type, share.percentage)
        }
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
    /// - Returns: The refunded amount, or nil when the purchase is fully refunded.
    /// - Throws: `transactionStateInvalid` for a purchase whose refund was reversed.
    private func refund(_ stored: StoredTransaction, _ share: RefundPortion) async throws -> Money? {
        guard let paid = stored.transaction.price else { return nil }
        guard try await !RefundRepository.isReversed(stored.id, in: transaction) else {
            throw StoreError(
                .transactionStateInvalid, "the purchase was refunded once and that was reversed; revoke it instead")
        }
        let left = try await RefundRepository.left(of: stored, in: transaction)
        let wanted = min(left, RefundShareRules.part(of: paid.minorUnits, share))
        guard wanted > 0 else { return nil }
        let amount = Money(minorUnits: wanted, currency: paid.currency)
        try await RefundRepository.insert(
            key: StoredRefund.key(of: stored.id), of: stored, amount, wall: wall, in: transaction)
        return amount
    }

    /// Ends the access that the purchase gave.
    /// - Returns: Whether the customer has lost something by it. Consumables are used up, and only the present period
    ///   of a subscription counts. A free copy of a non-consumable adds nothing to the first purchase.
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

    /// Takes the refund of a purchase back: the purchase is paid again, and its access is given again.
    ///
    /// A subscription that has ended with the refund stays ended (our choice): its customer subscribes again.
    /// - Returns: The transaction as it is now. It is unchanged if its refund was reversed before.
    /// - Throws: `transactionStateInvalid` for a transaction that was not refunded.
    mutating func reverseRefund(of stored: StoredTransaction) async throws -> StoredTransaction {
        let value = stored.transaction
        guard value.revocationDate != nil else {
            if try await RefundRepository.isReversed(stored.id, in: transaction) { return stored }
            throw StoreError(.transactionStateInvalid, "the transaction was not refunded")
        }
        guard value.isRefunded else {
            throw StoreError(.transactionStateInvalid, "the transaction was revoked, not refunded")
        }
        try await RefundRepository.reverse(StoredRefund.key(of: stored.id), in: transaction)
        let next = try await rewrite(value.reinstated, from: stored, event: nil)
        if let terms = stored.terms, terms.productType == .nonConsumable {
            for copy in try await TransactionRepository.copies(of: value, customer, in: transaction)
            where copy.transaction.revocationDate == value.revocationDate {
                try await rewrite(copy.transaction.reinstated, from: copy, event: nil)
            }
            try await EntitlementRepository.grant(next.transaction, terms: terms, to: customer, in: transaction)
        }
        try await note(.refundReversed, about: next)
        return next
    }

    /// Reads the periods after one that is not over, the last one first.
    ///
    /// Periods that were taken back are left out.
    ///
    /// Such periods exist when an operator has renewed early, or the clock was set back. They all depend on the earlier
    /// period.
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

extension PaymentTransaction {
    /// Whether it was taken back with its money.
    var isRefunded: Bool { revocationType == .refundFull || revocationType == .refundProrated }

    /// The transaction as if it had never been taken back.
    fileprivate var reinstated: PaymentTransaction {
        with(self) {
            $0.revocationDate = nil
            $0.revocationReason = nil
            $0.revocationType = nil
            $0.revocationPercentage = nil
        }
    }
}

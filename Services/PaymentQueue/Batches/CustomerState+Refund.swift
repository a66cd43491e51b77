import Persistence
import StoreModels

extension CustomerState {
    /// Takes a purchase back, with its money (`refunded`) or without (`revoked`).
    ///
    /// The commit ends the entitlement, journals the change for observers and all devices, and records a refund if one
    /// is due. A purchase that was taken back before is unchanged. The introductory offer stays used (M128), and an
    /// idempotency key keeps its first reply. A refund grants the customer's open request for one.
    /// - Parameter share: The refunded part of the price. A revocation ignores it.
    /// - Returns: The transaction as it is now.
    /// - Throws: `transactionStateInvalid` for a transaction that is not a purchase, or that a family shares, or
    ///   `serviceUnavailable` while a renewal of its subscription is being charged.
    mutating func takeBack(
        _ stored: StoredTransaction, _ ending: SubscriptionEnding, share: RefundPortion = .full,
        reason: RefundRequest.Reason
    ) throws -> StoredTransaction {
        let value = stored.transaction
        guard value.transactionState == .purchased, let terms = stored.terms, terms.change?.isNote != true else {
            throw StoreError(
                .transactionStateInvalid, "only a purchase can be taken back",
                details: ["transactionState": .string(value.transactionState.rawValue)])
        }
        guard terms.shared == nil else {
            throw StoreError(
                .transactionStateInvalid,
                "the purchase is shared by the customer's family; take the buyer's back, or end the sharing")
        }
        try need(Self.lookups(takingBack: stored))
        if ending == .refunded, try read(RefundRequestRepository.open(about: stored.id)) != nil {
            write(RefundRequestRepository.decide(.granted, about: stored.id, at: now))
        }
        guard value.revocationDate == nil else { return stored }
        let refunded = ending == .refunded ? try refund(stored, share) : nil
        var revoked = value
        (revoked.revocationDate, revoked.revocationReason) = (now, reason)
        if ending == .refunded {
            (revoked.revocationType, revoked.revocationPercentage) = (share.type, share.percentage)
        }
        let renews = try willRenew(stored)
        let isEnded = try end(stored, terms, ending, refunded: refunded, reason: reason)
        let next = try rewrite(revoked, from: stored, event: ending == .refunded ? .refunded : .revoked)
        try note(ending, of: next, endsRenewal: renews)
        if isEnded {
            let seq = try journalRevocation(of: next.transaction)
            write(try RevocationRepository.insert(next.transaction, seq: seq, of: customer))
        }
        return next
    }

    /// Returns what taking a purchase back asks for, with the purchase itself. It does for a reversal too.
    static func lookups(takingBack stored: StoredTransaction) -> [SQLLookupKey] {
        let keys =
            lookups(about: stored) + [
                RefundRequestRepository.open(about: stored.id).key, RefundRepository.isReversed(stored.id).key,
                RefundRepository.refunded(stored.id).key,
            ]
        guard stored.terms?.productType == .nonConsumable else { return keys }
        return keys + [
            TransactionRepository.copies(of: stored.transaction, stored.customer).key,
            EntitlementRepository.gave(stored.id, stored.customer).key,
        ]
    }

    /// Returns the lookups of a purchase and of the subscription it has paid, if any.
    static func lookups(about stored: StoredTransaction) -> [SQLLookupKey] {
        let keys = [
            TransactionRepository.find(stored.id, of: stored.customer).key,
            SubscriptionPeriodRepository.find(transactionID: stored.id).key,
        ]
        guard stored.terms?.productType == .autoRenewable else { return keys }
        return [SubscriptionRepository.allLocked(of: stored.customer).key] + keys
    }

    /// Records the refund that is sent to the processor.
    /// - Returns: The refunded amount, or nil when the purchase is fully refunded.
    /// - Throws: `transactionStateInvalid` for a purchase whose refund was reversed.
    private mutating func refund(_ stored: StoredTransaction, _ share: RefundPortion) throws -> Money? {
        guard let paid = stored.transaction.price else { return nil }
        guard try !read(RefundRepository.isReversed(stored.id)) else {
            throw StoreError(
                .transactionStateInvalid, "the purchase was refunded once and that was reversed; revoke it instead")
        }
        return try refund(
            paid.part(share.percentage).minorUnits, of: stored, key: StoredRefund.key(of: stored.id))
    }

    /// Records a refund of a purchase, at most of what is left of its price.
    /// - Parameter wanted: In minor units.
    /// - Returns: The refunded amount, or nil when there is none.
    mutating func refund(_ wanted: Int64, of stored: StoredTransaction, key: String) throws -> Money? {
        guard let paid = stored.transaction.price else { return nil }
        let earlier = try read(RefundRepository.refunded(stored.id)) + refunded[ExactText(stored.id), default: 0]
        let left = RefundRules.left(of: paid.minorUnits, refunded: earlier)
        let amount = Money(minorUnits: min(wanted, left), currency: paid.currency)
        guard amount.minorUnits > 0 else { return nil }
        write(RefundRepository.insert(key: key, of: stored, amount, wall: wall))
        refunded[ExactText(stored.id), default: 0] += amount.minorUnits
        return amount
    }

    /// Ends the access that the purchase gave.
    /// - Returns: Whether the customer has lost something by it. Consumables are used up, and only the present period
    ///   of a subscription counts. A free copy of a non-consumable adds nothing to the first purchase.
    private mutating func end(
        _ stored: StoredTransaction, _ terms: PurchaseTerms, _ ending: SubscriptionEnding, refunded: Money?,
        reason: RefundRequest.Reason
    ) throws -> Bool {
        switch terms.productType {
        case .consumable: return false
        case .nonRenewable: return true
        case .nonConsumable:
            try takeBackCopies(of: stored.transaction, reason: reason)
            guard try read(EntitlementRepository.gave(stored.id, customer)) else { return false }
            write(EntitlementRepository.takeAway(stored.id, from: customer))
            return true
        case .autoRenewable:
            for later in try laterPeriods(than: stored) { _ = try takeBack(later, ending, reason: reason) }
            return try endSubscription(of: stored.transaction, ending, refunded: refunded) ?? false
        }
    }

    /// Takes back free copies and restored transactions of a purchase.
    ///
    /// They end with it, as on the customer's devices.
    mutating func takeBackCopies(of value: PaymentTransaction, reason: RefundRequest.Reason) throws {
        for copy in try read(TransactionRepository.copies(of: value, customer))
        where copy.transaction.revocationDate == nil {
            var revoked = copy.transaction
            (revoked.revocationDate, revoked.revocationReason) = (now, reason)
            try rewrite(revoked, from: copy, event: nil, tellsFinished: false)
        }
    }

    /// Takes the refund of a purchase back: the purchase is paid again, and its access is given again.
    ///
    /// A subscription that has ended with the refund stays ended (our choice): its customer subscribes again.
    /// - Returns: The transaction as it is now. It is unchanged if its refund was reversed before.
    /// - Throws: `transactionStateInvalid` for a transaction that was not refunded.
    mutating func reverseRefund(of stored: StoredTransaction) throws -> StoredTransaction {
        let value = stored.transaction
        guard value.revocationDate != nil else {
            if try read(RefundRepository.isReversed(stored.id)) { return stored }
            throw StoreError(.transactionStateInvalid, "the transaction was not refunded")
        }
        guard value.isRefunded else {
            throw StoreError(.transactionStateInvalid, "the transaction was revoked, not refunded")
        }
        write(RefundRepository.reverse(StoredRefund.key(of: stored.id)))
        let next = try rewrite(value.reinstated, from: stored, event: nil)
        if let terms = stored.terms, terms.productType == .nonConsumable {
            for copy in try read(TransactionRepository.copies(of: value, customer))
            where copy.transaction.revocationDate == value.revocationDate {
                try rewrite(copy.transaction.reinstated, from: copy, event: nil, tellsFinished: false)
            }
            write(EntitlementRepository.grant(next.transaction, terms: terms, to: customer))
        }
        try note(.refundReversed, about: next)
        return next
    }

    /// Reads the periods after one that is not over, the last one first.
    ///
    /// Periods that were taken back are left out.
    ///
    /// Such periods exist when an operator has renewed early, or the clock was set back. They all depend on the earlier
    /// period.
    private func laterPeriods(than stored: StoredTransaction) throws -> [StoredTransaction] {
        guard let paid = try period(paidBy: stored.id), paid.end > now else { return [] }
        let later = try periods(laterThan: paid, endingAfter: now).map(\.id)
        try need(later.map { TransactionRepository.find($0, of: customer).key })
        return try later.compactMap { try transaction($0) }.filter { $0.transaction.revocationDate == nil }
    }
}

extension PaymentTransaction {
    /// Whether it was taken back with its money.
    var isRefunded: Bool { revocationType == .refundFull || revocationType == .refundProrated }

    /// The transaction as if it had never been taken back.
    var reinstated: PaymentTransaction {
        with(self) {
            $0.revocationDate = nil
            $0.revocationReason = nil
            $0.revocationType = nil
            $0.revocationPercentage = nil
        }
    }
}

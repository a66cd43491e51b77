import Persistence
import ServiceDatabase
import StoreModels

/// Makes and changes this customer's transactions of what others of the family have bought.
///
/// A shared transaction is settled when it is written, so nothing charges it (F1).
extension CustomerState {
    /// Returns what a decision about a buyer's transaction asks for.
    static func lookups(
        sharing id: String, of buyer: CustomerReference, with member: CustomerReference
    ) -> [SQLLookupKey] {
        [
            SharedPurchaseRepository.find(id, of: member).key, TransactionRepository.find(id, of: buyer).key,
            FamilyRepository.person(buyer).key, FamilyRepository.person(member).key,
            SubscriptionRepository.all(of: buyer).key,
        ]
    }

    /// Brings this customer's transaction of a buyer's transaction up to date.
    /// - Parameter id: The `id` of the buyer's transaction.
    /// - Returns: Whether something has changed.
    mutating func share(_ id: String, of buyer: CustomerReference) throws -> Bool {
        try need(Self.lookups(sharing: id, of: buyer, with: customer))
        let known = try read(SharedPurchaseRepository.find(id, of: customer))
        let giver = try read(FamilyRepository.person(buyer))
        let bought = try read(TransactionRepository.find(id, of: buyer))
        let all = try read(SubscriptionRepository.all(of: buyer))
        let subscription =
            if let original = known?.buyerOriginal {
                all.first { $0.originalID.isExactly(original) }
            } else {
                bought?.subscriptionKey.flatMap { key in all.first { $0.group.isExactly(key) } }
            }
        let cause = SharingRules.Cause(
            bought: bought, subscription: subscription,
            sharedSince: SharingRules.sharedSince(giver, try read(FamilyRepository.person(customer))))
        switch (SharingRules.step(known, cause, at: now), known, bought) {
        case (.make, _, let bought?):
            guard let giver else { return false }
            try make(of: bought, subscription, giver)
        case (.change, let known?, let bought?):
            guard let giver else { return false }
            try follow(bought, known, giver)
        case (.revoke, let known?, let bought): try revoke(known, bought, subscription)
        case (.reinstate, let known?, let bought?):
            guard let giver else { return false }
            try reinstate(known, bought, subscription, giver)
        case (_, let known?, nil):
            // It is revoked, and what it was made of can never come back.
            write(SharedPurchaseRepository.remove(known, of: customer))
        default: return false
        }
        return true
    }

    private mutating func make(
        of bought: StoredTransaction, _ subscription: StoredSubscription?, _ giver: StoredFamilyPerson
    ) throws {
        let earlier = try subscription.flatMap {
            try read(SharedPurchaseRepository.latest(of: $0.originalID, customer))
        }
        // An operator may have deleted it.
        let original = try earlier.flatMap { try transaction($0.originalID) }
        var random = SystemRandomNumberGenerator()
        let id = Identifiers.transaction(wall: wall, random: &random)
        let value = SharingRules.transaction(
            of: bought.transaction, id: id, identifier: try nextIdentifier(), original: original?.transaction)
        let body = try StoredJSON.text(value)
        let seq = try journal(.updated, value, event: .shared, body: body)
        let stored = StoredTransaction(
            customer: customer, transaction: value, phase: .settled, createdSeq: seq, historySeq: seq,
            modifiedSeq: nextModifiedSeq(), terms: SharingRules.terms(of: bought),
            chargeKey: StoredTransaction.chargeKey(of: id))
        write(try TransactionRepository.insert(stored, body: body), leaving: stored)
        let shared = SharedPurchase(
            buyer: bought.customer, buyerTransaction: bought.id, buyerRevision: bought.transaction.revision,
            buyerOriginal: subscription?.originalID, transactionID: id, originalID: original?.id ?? id,
            expiresAt: value.accessEnd(at: now), isRevoked: false)
        write(SharedPurchaseRepository.insert(shared, of: customer))
        write(FamilyRepository.touchUnchanged(giver))
        note(kind(of: stored, after: earlier), sharing: stored, shared, subscription)
    }

    private func kind(of stored: StoredTransaction, after earlier: SharedPurchase?) -> ServerEvent.Kind {
        guard let earlier else { return .subscribed }
        guard stored.terms?.shared?.isRenewal == true else { return .resubscribed }
        // A renewal in time begins where the period before ends.
        guard let end = earlier.expiresAt, let begin = stored.transaction.transactionDate, begin > end else {
            return .renewed
        }
        return .recovered
    }

    private mutating func follow(
        _ bought: StoredTransaction, _ known: SharedPurchase, _ giver: StoredFamilyPerson
    ) throws {
        var next = known
        next.buyerRevision = bought.transaction.revision
        if let stored = try transaction(known.transactionID) {
            var value = stored.transaction
            value.follow(bought.transaction)
            next.expiresAt = value.accessEnd(at: now)
            if value != stored.transaction { try rewrite(value, from: stored, event: nil) }
        }
        write(SharedPurchaseRepository.update(next, of: customer))
        write(FamilyRepository.touchUnchanged(giver))
    }

    private mutating func revoke(
        _ known: SharedPurchase, _ bought: StoredTransaction?, _ subscription: StoredSubscription?
    ) throws {
        var next = known
        next.isRevoked = true
        if let stored = try transaction(known.transactionID), stored.transaction.revocationDate == nil {
            var value = stored.transaction
            if let bought { value.follow(bought.transaction) }
            next.expiresAt = value.accessEnd(at: now)
            (value.revocationDate, value.revocationReason) = (now, .other)
            value.revocationType = .familyRevoke
            let isLost = hasAccess(known, stored.transaction, subscription)
            if known.expiresAt == nil { try takeBackCopies(of: stored.transaction, reason: .other) }
            let revoked = try rewrite(value, from: stored, event: .revoked)
            note(.revoked, sharing: revoked, next, subscription)
            if isLost {
                let seq = try journalRevocation(of: revoked.transaction)
                write(try RevocationRepository.insert(revoked.transaction, seq: seq, of: customer))
            }
        }
        if let bought {
            next.buyerRevision = bought.transaction.revision
            write(SharedPurchaseRepository.update(next, of: customer))
        } else {
            write(SharedPurchaseRepository.remove(known, of: customer))
        }
        write(FamilyRepository.touch(known.buyer))
    }

    /// Tells whether the customer has access by a shared transaction until now.
    private func hasAccess(
        _ known: SharedPurchase, _ value: PaymentTransaction, _ subscription: StoredSubscription?
    ) -> Bool {
        guard value.isUpgraded != true else { return false }
        guard let end = value.expiresDate else { return true }
        guard end <= now else { return true }
        return SharingRules.isLive(known, subscription, at: now)
    }

    private mutating func reinstate(
        _ known: SharedPurchase, _ bought: StoredTransaction, _ subscription: StoredSubscription?,
        _ giver: StoredFamilyPerson
    ) throws {
        var next = known
        next.isRevoked = false
        next.buyerRevision = bought.transaction.revision
        if let stored = try transaction(known.transactionID) {
            var value = stored.transaction.reinstated
            value.follow(bought.transaction)
            next.expiresAt = value.accessEnd(at: now)
            let given = try rewrite(value, from: stored, event: .shared)
            if known.expiresAt == nil {
                for copy in try read(TransactionRepository.copies(of: stored.transaction, customer))
                where copy.transaction.revocationDate == stored.transaction.revocationDate {
                    try rewrite(copy.transaction.reinstated, from: copy, event: nil, tellsFinished: false)
                }
            }
            note(.resubscribed, sharing: given, next, subscription)
        }
        write(SharedPurchaseRepository.update(next, of: customer))
        write(FamilyRepository.touchUnchanged(giver))
    }

    /// Notes a change of a shared transaction. Of a product without an end, what is given is a purchase.
    private mutating func note(
        _ kind: ServerEvent.Kind, sharing stored: StoredTransaction, _ shared: SharedPurchase,
        _ subscription: StoredSubscription?
    ) {
        serverChanges.append(
            ServerChange(
                kind: subscription != nil || kind == .revoked ? kind : .purchased, at: now, transactionID: stored.id,
                transaction: stored, subscription: subscription?.shared(stored, shared, at: now)))
    }
}

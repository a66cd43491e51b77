import StoreModels

/// Decides about what a family shares, without I/O.
///
/// A shared transaction follows the buyer's: it is there once (F1), and gives access exactly while the buyer's does and
/// both are in the family (F2).
enum SharingRules {
    /// Maximum number of an app's families, so that a sweep is short.
    static let familiesPerAppMax = 1_000

    /// A buyer's transaction, with what decides whether it is shared with a member.
    struct Cause: Hashable, Sendable {
        /// Nil for one that was deleted.
        var bought: StoredTransaction?
        /// The buyer's subscription that it has paid. Nil for a product without an end.
        var subscription: StoredSubscription?
        /// Since when the buyer shares with the member, business time. Nil when they do not.
        var sharedSince: Timestamp?
    }

    /// The next step of a member's transaction.
    enum Step: Hashable, Sendable {
        case none
        /// Makes it.
        case make
        /// Writes the buyer's end and upgrade into it.
        case change
        /// Takes it back.
        case revoke
        /// Gives it again.
        case reinstate
    }

    /// Returns since when a person shares with another one.
    /// - Returns: Nil when they are not in one family, or one of them does not take part.
    static func sharedSince(_ giver: StoredFamilyPerson?, _ receiver: StoredFamilyPerson?) -> Timestamp? {
        guard let giver, let receiver, giver.family.isExactly(receiver.family), giver.customer != receiver.customer,
            giver.shares, receiver.receives, !giver.isGone, !receiver.isGone
        else { return nil }
        return max(giver.sharesSince, receiver.receivesSince)
    }

    /// Decides about a member's transaction.
    /// - Parameters:
    ///   - known: Nil when the member has none.
    ///   - now: The app's clock.
    static func step(_ known: SharedPurchase?, _ cause: Cause, at now: Timestamp) -> Step {
        let isShareable = cause.bought?.terms?.isFamilyShareable == true
        guard let known else {
            // Periods that were over before the member joined are not shared. The clock may have been set back.
            guard let since = cause.sharedSince, isShareable else { return .none }
            return gives(cause, after: min(since, now)) ? .make : .none
        }
        if known.isRevoked {
            return cause.sharedSince != nil && isShareable && gives(cause, after: now) ? .reinstate : .none
        }
        guard let bought = cause.bought, bought.transaction.revocationDate == nil else { return .revoke }
        guard cause.sharedSince != nil else { return isLive(known, cause.subscription, at: now) ? .revoke : .none }
        return bought.transaction.revision == known.buyerRevision ? .none : .change
    }

    /// Tells whether a member's transaction gives access, or will again by the outcome of a renewal that is due.
    static func isLive(_ known: SharedPurchase, _ subscription: StoredSubscription?, at now: Timestamp) -> Bool {
        guard let end = known.expiresAt, end <= now else { return true }
        guard let subscription, subscription.period.transactionID.isExactly(known.buyerTransaction) else {
            return false
        }
        return subscription.state == .subscribed || subscription.state == .inGracePeriod
    }

    /// Tells whether a buyer's transaction gives access after an instant.
    static func gives(_ cause: Cause, after instant: Timestamp) -> Bool {
        guard let bought = cause.bought, bought.transaction.revocationDate == nil,
            bought.transaction.isUpgraded != true
        else { return false }
        switch bought.listedType {
        case .nonConsumable: return true
        case .autoRenewable:
            guard cause.subscription?.state != .revoked else { return false }
            if let end = bought.transaction.expiresDate, end > instant { return true }
            guard let known = cause.subscription, known.state == .inGracePeriod,
                known.period.transactionID.isExactly(bought.id)
            else { return false }
            return known.retry.graceUntil.map { $0 > instant } ?? false
        case .consumable, .nonRenewable, nil: return false
        }
    }

    /// Makes a member's transaction of a buyer's: purchased at revision 1, without price, offer and the buyer's tokens.
    /// - Parameter original: The member's first transaction of the same subscription. Nil for a first one.
    static func transaction(
        of bought: PaymentTransaction, id: String, identifier: String, original: PaymentTransaction?
    ) -> PaymentTransaction {
        with(
            PaymentTransaction(
                id: id, transactionIdentifier: identifier, transactionState: .purchased,
                transactionDate: bought.transactionDate,
                payment: Payment(
                    requestIdentifier: "share:\(identifier)",
                    productIdentifier: bought.payment.productIdentifier),
                downloads: bought.downloads.map { content in
                    Download(
                        id: Identifiers.download(of: id), transactionId: id, state: .waiting,
                        contentIdentifier: content.contentIdentifier, contentVersion: content.contentVersion,
                        contentLength: content.contentLength)
                }, revision: 1, originDeviceId: PaymentTransaction.outsideDeviceId)
        ) {
            $0.original = original.map { OriginalTransaction($0) }
            $0.originalTransactionIdentifier = original?.transactionIdentifier
            $0.subscriptionGroupIdentifier = bought.subscriptionGroupIdentifier
            $0.isTrialPeriod = bought.isTrialPeriod.map { _ in false }
            $0.isInIntroOfferPeriod = bought.isInIntroOfferPeriod.map { _ in false }
            $0.isFamilyShared = true
            $0.follow(bought)
        }
    }

    /// Makes the terms of a member's transaction: free, and never of an offer.
    static func terms(of bought: StoredTransaction) -> PurchaseTerms? {
        bought.terms.map { agreed in
            with(agreed) {
                $0.amount = Money(minorUnits: 0, currency: agreed.amount.currency)
                $0.subscription?.price = nil
                $0.subscription?.offerPeriodsLeft = 0
                $0.subscription?.billingPlan = nil
                ($0.offer, $0.simulate, $0.storefront, $0.past) = (nil, nil, nil, nil)
                ($0.change, $0.effectiveDate, $0.isFamilyShareable) = (nil, nil, nil)
                $0.shared = PurchaseTerms.Shared(
                    isRenewal: RenewalAttempt.originalID(ofChargeKey: bought.chargeKey) != nil)
            }
        }
    }
}

extension PaymentTransaction {
    /// Takes over what a buyer's transaction says about its period.
    mutating func follow(_ bought: PaymentTransaction) {
        expiresDate = bought.expiresDate
        isUpgraded = bought.isUpgraded
    }

    /// Returns the end of what it gives, without a grace period. Nil for a product without an end.
    /// - Parameter now: The app's clock.
    func accessEnd(at now: Timestamp) -> Timestamp? {
        expiresDate.map { isUpgraded == true ? min($0, now) : $0 }
    }
}

extension StoredSubscription {
    /// The subscription of a buyer, as a family member has it: without prices and offers.
    /// - Parameters:
    ///   - latest: The member's latest transaction of it.
    ///   - now: The app's clock.
    func shared(_ latest: StoredTransaction, _ shared: SharedPurchase, at now: Timestamp) -> StoredSubscription {
        let value = latest.transaction
        let identifier = value.transactionIdentifier ?? latest.id
        var seen = self
        seen.customer = latest.customer
        (seen.originalID, seen.originalIdentifier) =
            (shared.originalID, value.originalTransactionIdentifier ?? identifier)
        (seen.offer, seen.agreedPrice, seen.priceIncrease, seen.plan) = (nil, nil, nil, nil)
        (seen.dueAt, seen.attempt, seen.failsNext) = (nil, nil, false)
        seen.period = Period(
            index: period.index, start: value.transactionDate ?? period.start, end: value.expiresDate ?? period.end,
            transactionID: latest.id, transactionIdentifier: identifier)
        seen.product = value.payment.productIdentifier
        seen.paidGroup = value.subscriptionGroupIdentifier ?? paidGroup
        let isPresent = period.transactionID.isExactly(shared.buyerTransaction)
        guard isPresent, value.revocationDate == nil else {
            // The member has lost it, or the buyer's present period is of a product that is not shared.
            let isOver = value.isUpgraded == true || seen.period.end <= now
            seen.state = value.revocationDate != nil ? .revoked : isOver ? .expired : .subscribed
            seen.expirationReason = seen.state == .expired ? expirationReason ?? .other : nil
            (seen.willAutoRenew, seen.renewProduct, seen.retry) = (false, seen.product, Retry())
            return seen
        }
        return seen
    }
}

import StoreModels

/// Collects the events that apps' servers are notified of.
extension CustomerState {
    /// A change whose final transaction and subscription the decision has yet to determine.
    struct ServerChange: Sendable {
        var kind: ServerEvent.Kind
        /// Business time.
        var at: Timestamp
        /// The `id` of its transaction.
        var transactionID: String
        /// The transaction, if the rest of the decision leaves it unchanged.
        var transaction: StoredTransaction?
        /// Nil for one-time purchases.
        var subscription: StoredSubscription?
        var level: ServerEvent.LevelChange?
        var endsRenewal: Bool?
        var consumptionRequestReason: ConsumptionRequestReason?
    }

    /// Notes a change of a product that is not a subscription.
    mutating func note(_ kind: ServerEvent.Kind, of stored: StoredTransaction, at: Timestamp) {
        serverChanges.append(ServerChange(kind: kind, at: at, transactionID: stored.id, transaction: stored))
    }

    /// Notes an entry of a subscription's timeline, if servers are notified of its kind.
    ///
    /// Refunds are noted where their transaction is written.
    /// - Parameters:
    ///   - before: The subscription before the decision, or nil for a new one.
    ///   - stored: The transaction it is about, or nil for the present period's.
    mutating func note(
        _ event: SubscriptionEvent, of written: StoredSubscription, before: StoredSubscription?,
        about stored: StoredTransaction?
    ) {
        guard let kind = ServerEvent.Kind(event.kind, written, before: before) else { return }
        serverChanges.append(
            ServerChange(
                kind: kind, at: event.at, transactionID: stored?.id ?? written.period.transactionID,
                transaction: stored, subscription: written,
                level: kind.isReplacement ? before.map { Self.level(from: $0, to: written) } : nil))
    }

    private static func level(from before: StoredSubscription, to after: StoredSubscription) -> ServerEvent.LevelChange
    {
        guard !before.product.isExactly(after.product) else { return .none }
        return after.level > before.level ? .downgrade : .upgrade
    }

    /// Tells whether the subscription that a transaction has paid would renew.
    /// - Returns: False for a transaction that has paid no subscription.
    func willRenew(_ stored: StoredTransaction) throws -> Bool {
        guard let known = try subscription(paidBy: stored) else { return false }
        return known.state.isExisting && known.willAutoRenew
    }

    /// Notes that a transaction was taken back.
    /// - Parameters:
    ///   - stored: The transaction after it.
    ///   - endsRenewal: Whether its subscription would have renewed before.
    mutating func note(_ ending: SubscriptionEnding, of stored: StoredTransaction, endsRenewal: Bool) throws {
        let known = try subscription(paidBy: stored)
        serverChanges.append(
            ServerChange(
                kind: ending == .refunded ? .refunded : .revoked, at: now, transactionID: stored.id,
                transaction: stored, subscription: known,
                endsRenewal: endsRenewal && known?.state == .revoked ? true : nil))
    }

    /// Notes an action about a purchase, with the subscription it has paid, if any.
    mutating func note(
        _ kind: ServerEvent.Kind, about stored: StoredTransaction, _ reason: ConsumptionRequestReason? = nil
    ) throws {
        serverChanges.append(
            ServerChange(
                kind: kind, at: now, transactionID: stored.id, transaction: stored,
                subscription: try subscription(paidBy: stored), consumptionRequestReason: reason))
    }

    /// Notes an event of a subscription that does not change it.
    mutating func note(_ kind: ServerEvent.Kind, of known: StoredSubscription) {
        serverChanges.append(
            ServerChange(kind: kind, at: now, transactionID: known.period.transactionID, subscription: known))
    }

    /// Makes one event of the decision's changes.
    /// - Returns: Nil without changes.
    func serverEvent() throws -> StoredServerEvent? {
        guard let first = serverChanges.first else { return nil }
        var last: [ExactText: StoredSubscription] = [:]
        for value in serverChanges.compactMap(\.subscription) { last[value.originalID] = value }
        var event = StoredServerEvent(
            account: account.account, appTransaction: account.appTransaction, at: first.at, changes: [])
        for change in serverChanges {
            // An operator may have deleted the transaction of a subscription.
            guard let stored = try change.transaction ?? transaction(change.transactionID),
                let value = ServerTransaction(stored, storefront: account.storefront)
            else { continue }
            event.changes.append(
                .init(
                    kind: change.kind, transaction: value,
                    subscription: change.subscription.flatMap { last[$0.originalID] }.map(
                        StoredServerEvent.Snapshot.init),
                    level: change.level, endsRenewal: change.endsRenewal,
                    consumptionRequestReason: change.consumptionRequestReason))
        }
        return event.changes.isEmpty ? nil : event
    }
}

extension StoredServerEvent.Snapshot {
    fileprivate init(_ value: StoredSubscription) {
        let offer = value.willAutoRenew ? RenewalPolicy.offer(of: value) : nil
        self.init(
            value: with(value.wire) { $0.renewalPrice = value.renewalPriceWithoutQuote }, originalID: value.originalID,
            rate: value.rate, nextOffer: offer?.applied)
    }
}

extension StoredSubscription {
    /// The price of the next renewal as far as the row has it: of an offer that continues, or of the same product.
    fileprivate var renewalPriceWithoutQuote: Money? {
        guard willAutoRenew, state.isExisting, renewProduct.isExactly(product), plan?.next == plan?.present else {
            return nil
        }
        if let offer = RenewalPolicy.offer(of: self) { return offer.amount }
        return priceIncrease?.price ?? agreedPrice
    }
}

extension ServerEvent.Kind {
    /// Whether another purchase took the place of the present period.
    fileprivate var isReplacement: Bool { self == .upgraded || self == .crossgraded }

    /// - Returns: Nil for refunds, and for kinds that servers are not notified of.
    fileprivate init?(_ kind: SubscriptionEvent.Kind, _ after: StoredSubscription, before: StoredSubscription?) {
        switch kind {
        case .subscribed: self = .subscribed
        case .resubscribed: self = .resubscribed
        case .renewed: self = .renewed
        case .recovered: self = .recovered
        case .gracePeriodStarted: self = .gracePeriodStarted
        case .billingRetryStarted: self = .billingRetryStarted
        case .gracePeriodExpired: self = .gracePeriodExpired
        case .expired: self = .expired
        case .autoRenewDisabled: self = .autoRenewDisabled
        case .autoRenewEnabled: self = .autoRenewEnabled
        case .upgraded: self = .upgraded
        case .crossgraded: self = .crossgraded
        case .changeScheduled: self = .changeScheduled
        case .changeReverted: self = .changeReverted
        case .extended: self = .extended
        case .priceIncreasePending: self = .priceIncreasePending
        case .priceIncreaseAgreed: self = .priceIncreased
        case .priceChanged:
            // A consent was an event of its own.
            guard before?.priceIncrease?.status != .agreed, let old = before?.agreedPrice, let new = after.agreedPrice,
                old.currency == new.currency,
                new.minorUnits > old.minorUnits
            else { return nil }
            self = .priceIncreased
        case .billingFailed, .refunded, .revoked, .refundedProrated, .groupChanged, .priceIncreaseDeclined,
            .priceIncreaseWithdrawn:
            return nil
        }
    }
}

/// A verified receipt's purchases, with the instant at which it is asked what they mean.
public struct ReceiptHistory: Hashable, Sendable, Codable {
    /// In any order; Apple's receipts have none either.
    public var items: [ReceiptItem]
    /// The app's business clock.
    public var now: Timestamp
    /// What is known of the subscriptions' next renewals; a receipt itself says nothing of them.
    public var renewals: [ReceiptRenewal]?
    public init(items: [ReceiptItem], now: Timestamp, renewals: [ReceiptRenewal]? = nil) {
        self.items = items
        self.now = now
        self.renewals = renewals
    }
}

extension ReceiptHistory {
    /// What the purchases say of each subscription group, by its identifier, for ``IntroductoryOfferPolicy``.
    ///
    /// All subscriptions count, cancelled and upgraded ones too (M120, M128). A group is what the renewals, else the item,
    /// else the catalogue says (M122).
    /// - Parameter catalogue: the app's subscriptions, for sale or not: product → group.
    public func groups(ofProducts catalogue: [ExactText: String]) -> [ExactText: SubscriptionGroupHistory] {
        let renewals = renewalsByOriginal
        var groups: [ExactText: ReceiptGroup] = [:]
        for item in items where item.type == .autoRenewable {
            let renewal = renewals[item.originalTransactionIdentifier]
            guard let group = group(of: item, renewal, catalogue) else { continue }
            groups[group, default: ReceiptGroup()].add(item, renewal)
        }
        return Dictionary(
            uniqueKeysWithValues: groups.map { group, found in (group, found.history(group.text, at: now)) })
    }

    /// A purchase that nobody knows the group of and that would make the customer ineligible there: an offer was used,
    /// or a subscription goes on. Nobody may be called eligible then, because the group may be any.
    public func unplaced(ofProducts catalogue: [ExactText: String]) -> ReceiptItem? {
        let renewals = renewalsByOriginal
        return items.first { item in
            guard item.type == .autoRenewable else { return false }
            let renewal = renewals[item.originalTransactionIdentifier]
            guard group(of: item, renewal, catalogue) == nil else { return false }
            var alone = ReceiptGroup()
            alone.add(item, renewal)
            let decision = IntroductoryOfferPolicy.decide(history: alone.history("", at: now), now: now)
            return decision.eligibility != .eligible
        }
    }

    private func group(of item: ReceiptItem, _ renewal: ReceiptRenewal?, _ catalogue: [ExactText: String]) -> String? {
        renewal?.subscriptionGroupIdentifier ?? item.subscriptionGroupIdentifier ?? catalogue[item.productIdentifier]
    }

    private var renewalsByOriginal: [ExactText: ReceiptRenewal] {
        Dictionary(
            (renewals ?? []).map { (ExactText($0.originalTransactionIdentifier), $0) },
            uniquingKeysWith: { _, last in last })
    }
}

/// What is remembered of one group while a receipt is read through, once.
private struct ReceiptGroup {
    private var firstOffer: ReceiptItem?
    private var latest: ReceiptItem?
    /// The latest one that gives or gave access and was neither taken back nor replaced.
    private var latestKept: ReceiptItem?
    private var renewal: ReceiptRenewal?

    mutating func add(_ item: ReceiptItem, _ renewal: ReceiptRenewal?) {
        let usedOffer = item.isTrialPeriod == true || item.isInIntroOfferPeriod == true
        if usedOffer, firstOffer.map({ item.order < $0.order }) ?? true { firstOffer = item }
        if latest.map({ $0.order < item.order }) ?? true {
            latest = item
            self.renewal = renewal
        }
        guard item.cancellationDate == nil, item.isUpgraded != true else { return }
        if latestKept.map({ $0.end < item.end }) ?? true { latestKept = item }
    }

    func history(_ group: String, at now: Timestamp) -> SubscriptionGroupHistory {
        let state = state(at: now)
        let deciding = state == .revoked ? latest : latestKept ?? latest
        return SubscriptionGroupHistory(
            subscriptionGroupIdentifier: group, introductoryOfferTransaction: firstOffer?.transactionIdentifier,
            activeUntil: deciding?.expiresDate, activeTransaction: deciding?.transactionIdentifier, state: state)
    }

    /// A refund of the latest period ends what a failed renewal had left open.
    private func state(at now: Timestamp) -> SubscriptionState {
        if let end = latestKept?.expiresDate, end > now { return .subscribed }
        guard latest?.cancellationDate == nil else { return .revoked }
        if let until = renewal?.gracePeriodExpiresDate, until > now { return .inGracePeriod }
        return renewal?.isInBillingRetryPeriod == true ? .inBillingRetryPeriod : .expired
    }
}

extension ReceiptItem {
    /// Identifiers grow with time; a shorter decimal is a smaller one.
    fileprivate var order: (Int64, Int, String) {
        (purchaseDate.milliseconds, transactionIdentifier.utf8.count, transactionIdentifier)
    }

    fileprivate var end: (Int64, Int64) { ((expiresDate ?? purchaseDate).milliseconds, purchaseDate.milliseconds) }
}

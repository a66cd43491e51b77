/// A verified receipt's purchases, with the instant at which they are judged.
public struct ReceiptHistory: Hashable, Sendable, Codable {
    /// In any order. Apple's receipts have no order either.
    public var items: [ReceiptItem]
    /// The app's business clock.
    public var now: Timestamp
    /// The known renewals of the subscriptions, which a receipt does not show. Nil means no failed renewal.
    public var renewals: [ReceiptRenewal]?
}

extension ReceiptHistory {
    /// The history of the purchases for ``IntroductoryOfferPolicy``, in PaymentQueue's form.
    ///
    /// All subscriptions count, cancelled and upgraded ones too (M120, M128).
    public var history: SubscriptionHistory {
        let renewals = renewalsByOriginal
        let items = items.filter { $0.type == .autoRenewable }.sorted { $0.order < $1.order }
        var subscriptions: [ReceiptSubscription] = []
        var positions: [ExactText: Int] = [:]
        for item in items {
            let position = positions[item.originalTransactionIdentifier] ?? subscriptions.count
            if position == subscriptions.count {
                positions[item.originalTransactionIdentifier] = position
                subscriptions.append(ReceiptSubscription(renewals[item.originalTransactionIdentifier]))
            }
            subscriptions[position].add(item)
        }
        return SubscriptionHistory(
            subscriptions: subscriptions.compactMap { $0.entry(at: now) }, offers: offers(items, renewals))
    }

    /// A purchase of an unknown group that would make the customer ineligible there. Either it used an offer, or its
    /// subscription is active. The policy then must not call the customer eligible, because it may be any group.
    /// - Parameter isKnown: Whether today's catalogue has the product, and so its group.
    public func unplaced(_ isKnown: (String) -> Bool) -> ReceiptItem? {
        let renewals = renewalsByOriginal
        return items.first { item in
            let renewal = renewals[item.originalTransactionIdentifier]
            guard item.type == .autoRenewable, item.subscriptionGroupIdentifier == nil,
                renewal?.subscriptionGroupIdentifier == nil, !isKnown(item.productIdentifier)
            else { return false }
            if item.usedOffer { return true }
            var alone = ReceiptSubscription(renewal)
            alone.add(item)
            return alone.entry(at: now)?.state.isExisting == true
        }
    }

    /// The first use of each product's offer, with all groups the product was bought in.
    private func offers(
        _ items: [ReceiptItem], _ renewals: [ExactText: ReceiptRenewal]
    ) -> [SubscriptionHistory.Offer] {
        var groups: [ExactText: [String]] = [:]
        for item in items {
            let renewal = renewals[item.originalTransactionIdentifier]
            for group in [item.subscriptionGroupIdentifier, renewal?.subscriptionGroupIdentifier] {
                groups[item.productIdentifier, default: []].insert(exactly: group)
            }
        }
        var seen: Set<ExactText> = []
        return items.filter { $0.usedOffer && seen.insert($0.productIdentifier).inserted }.map { item in
            SubscriptionHistory.Offer(
                productIdentifier: item.productIdentifier, groups: groups[item.productIdentifier] ?? [],
                transactionIdentifier: item.transactionIdentifier)
        }
    }

    private var renewalsByOriginal: [ExactText: ReceiptRenewal] {
        Dictionary(
            (renewals ?? []).map { (ExactText($0.originalTransactionIdentifier), $0) },
            uniquingKeysWith: { _, last in last })
    }
}

/// The state of one subscription while its purchases are read, oldest first.
private struct ReceiptSubscription {
    private let renewal: ReceiptRenewal?
    private var groups: [String] = []
    private var latest: ReceiptItem?
    /// The latest purchase that was neither revoked nor replaced by an upgrade.
    private var latestKept: ReceiptItem?

    init(_ renewal: ReceiptRenewal?) {
        self.renewal = renewal
        groups.insert(exactly: renewal?.subscriptionGroupIdentifier)
    }

    mutating func add(_ item: ReceiptItem) {
        groups.insert(exactly: item.subscriptionGroupIdentifier)
        latest = item
        if item.cancellationDate == nil, item.isUpgraded != true { latestKept = item }
    }

    func entry(at now: Timestamp) -> SubscriptionHistory.Entry? {
        guard let latest else { return nil }
        let state = state(of: latest, at: now)
        let deciding = state == .revoked ? latest : latestKept ?? latest
        return SubscriptionHistory.Entry(
            originalTransactionIdentifier: latest.originalTransactionIdentifier,
            productIdentifier: latest.productIdentifier, groups: groups, activeUntil: deciding.expiresDate,
            activeTransaction: deciding.transactionIdentifier, state: state)
    }

    /// The subscription's state. A refund of the latest period ends the time that a failed renewal had left open.
    private func state(of latest: ReceiptItem, at now: Timestamp) -> SubscriptionState {
        if let end = latestKept?.expiresDate, end > now { return .subscribed }
        guard latest.cancellationDate == nil else { return .revoked }
        if let until = renewal?.gracePeriodExpiresDate, until > now { return .inGracePeriod }
        return renewal?.isInBillingRetryPeriod == true ? .inBillingRetryPeriod : .expired
    }
}

extension ReceiptItem {
    fileprivate var usedOffer: Bool { isTrialPeriod == true || isInIntroOfferPeriod == true }

    /// Orders by date, then identifier. Identifiers grow with time, and a shorter decimal is a smaller one.
    fileprivate var order: (Int64, Int, String) {
        (purchaseDate.milliseconds, transactionIdentifier.utf8.count, transactionIdentifier)
    }
}

extension [String] {
    /// Adds a text unless it is there byte for byte. Ignores nil.
    package mutating func insert(exactly text: String?) {
        guard let text, !containsExactly(text) else { return }
        append(text)
    }
}

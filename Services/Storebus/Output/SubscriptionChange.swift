import StoreModels

/// What a purchase within a group has done to the subscription:
///
/// ```
/// account     alice (USA) on device alice-1
/// upgraded    com.example.pro.monthly → com.example.pro.yearly, at once
/// charged     79.99 USD as 2000000000000002, expires 2027-11-28 10:00:04Z
/// given back  4.12 USD of com.example.pro.monthly
/// ```
struct SubscriptionChange: Sendable {
    let before: Subscription
    let outcome: PurchaseOutcome
    let timeline: SubscriptionTimeline
    /// Of the timeline, those that were there before the purchase. A clock that stands still tells them not apart.
    let earlierEventCount: Int

    private var transaction: PaymentTransaction { outcome.transaction }

    /// Whether it waits for the next renewal.
    var isScheduled: Bool {
        transaction.effectiveDate.map { effective in effective > transaction.transactionDate ?? effective } ?? false
    }

    /// Its own entries.
    private var events: [SubscriptionEvent] {
        timeline.events.dropFirst(earlierEventCount).filter { event in
            [.upgraded, .crossgraded, .refundedProrated, .changeReverted].contains(event.kind)
        }
    }

    var answer: Answer {
        var members = outcome.json.objectValue ?? [:]
        members["from"] = .string(before.productIdentifier)
        members["isScheduled"] = .bool(isScheduled)
        members["events"] = .array(events.map { JSONText.value($0) })
        members["subscription"] = SubscriptionTable.json(timeline.subscription)
        members["summary"] = .string(summary)
        return Answer(
            data: .object(members), names: [Words.name(transaction)],
            next: SubscriptionTable.next(timeline.subscription)
        ) { [self] in facts.text($0) }
    }

    private var facts: Facts {
        let installation = outcome.installation
        let storefront = outcome.session.storefront.countryCode
        var facts = Facts()
        facts.add("account", "\(installation.account) (\(storefront)) on device \(installation.deviceId)")
        facts.add(word, summary)
        facts.add("transaction", Words.name(transaction) + (expires.map { "  \($0)" } ?? ""))
        if let price = transaction.price, price.minorUnits > 0 { facts.add("charged", Words.price(price)) }
        for event in events where event.kind == .refundedProrated {
            facts.add("given back", event.amount.map { "\(Words.price($0)) of \(event.productIdentifier)" })
        }
        return facts
    }

    private var expires: String? { transaction.expiresDate.map { "expires \(Words.time($0))" } }

    private var word: String {
        if isScheduled { return "scheduled" }
        return events.first { $0.kind != .refundedProrated }.map {
            $0.kind == .changeReverted ? "reverted" : $0.kind.rawValue
        }
            ?? "bought"
    }

    private var summary: String {
        let product = transaction.payment.productIdentifier
        if isScheduled {
            let from = transaction.effectiveDate.map(Words.time) ?? "the next renewal"
            return "\(before.productIdentifier) → \(product), from \(from) on; nothing was charged"
        }
        if events.contains(where: { $0.kind == .changeReverted }) { return "\(product) stays; nothing was charged" }
        return "\(before.productIdentifier) → \(product), at once"
    }
}

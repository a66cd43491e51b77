import StoreModels

/// A subscription's timeline:
///
/// ```
/// subscription 2000000000000001 of alice, group 21378123
/// 2026-11-21  subscribed  com.example.pro.monthly  0.00 USD  trial, until 2026-11-28
/// 2026-11-28  renewed     com.example.pro.monthly  9.99 USD  until 2026-12-28, trial ended
/// sum  9.99 USD in 1 charge; subscribed, renews 2026-12-28 10:00:04Z for 9.99 USD
/// ```
struct TimelineReport: Sendable {
    let timeline: SubscriptionTimeline
    let account: String?

    init(_ timeline: SubscriptionTimeline, account: String?) {
        self.timeline = timeline
        self.account = account ?? timeline.subscription.account ?? timeline.events.compactMap(\.account).first
    }

    private var subscription: Subscription { timeline.subscription }

    private var lines: SubscriptionEventLines {
        let start = timeline.events.first?.at ?? subscription.purchaseDate
        let end = timeline.events.last?.at ?? subscription.expiresDate
        return SubscriptionEventLines(
            timeline.events, showsAccount: false, showsTime: SubscriptionEventLines.isShort(from: start, to: end))
    }

    private var sums: [TimelineSum] { TimelineSum.sums(of: timeline.events) }

    var answer: Answer {
        var members: [String: JSONValue] = [
            "subscription": SubscriptionTable.json(subscription), "events": .array(lines.json),
            "sums": .array(sums.map(\.json)), "summary": .string(summary),
        ]
        if let account { members["account"] = .string(account) }
        return Answer(
            data: .object(members), names: timeline.events.compactMap(\.transactionIdentifier), next: next
        ) { [self] in text($0) }
    }

    private func text(_ style: Style) -> String {
        let whose = account.map { " of \($0)" } ?? ""
        return "subscription \(subscription.originalTransactionIdentifier)\(whose), "
            + "group \(subscription.subscriptionGroupIdentifier)\n" + lines.text(style)
            + "sum  " + Table.onOneLine(summary) + "\n"
    }

    private var summary: String {
        let money = sums.map(\.words)
        let standing = "\(subscription.state.rawValue), \(SubscriptionWords.standing(subscription))"
        return (money.isEmpty ? "nothing was charged" : money.joined(separator: "; ")) + "; " + standing
    }

    private var next: String {
        let original = subscription.originalTransactionIdentifier
        let option = subscription.bundleId.map(Known.option) ?? ""
        return subscription.state.isExisting ? "storebus time next\(option)" : "storebus why \(original)"
    }
}

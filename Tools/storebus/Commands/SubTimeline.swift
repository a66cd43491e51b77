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

    var result: CommandResult {
        var members: [String: JSONValue] = [
            "subscription": SubscriptionTable.json(subscription), "events": .array(lines.json),
            "sums": .array(sums.map(\.json)), "summary": .string(summary),
        ]
        if let account { members["account"] = .string(account) }
        return CommandResult(
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
        let standing = "\(subscription.state.rawValue), \(SubscriptionFormat.status(subscription))"
        return (money.isEmpty ? "nothing was charged" : money.joined(separator: "; ")) + "; " + standing
    }

    private var next: Advice {
        let original = subscription.originalTransactionIdentifier
        let option = subscription.bundleId.map(AppOptions.flag) ?? ""
        return subscription.state.isExisting ? "storebus time next\(option)" : "storebus why \(original)"
    }
}

/// The sums of a timeline in one currency. A customer's storefront may change, so there can be several.
struct TimelineSum: Hashable, Sendable {
    var currency: Currency
    var chargeCount = 0
    var charged: Int64 = 0
    var givenBack: Int64 = 0

    /// In the order of the currencies' first events.
    static func sums(of events: [SubscriptionEvent]) -> [TimelineSum] {
        var sums: [TimelineSum] = []
        for event in events {
            guard let amount = event.amount, amount.minorUnits > 0, let movement = event.movement else { continue }
            let index =
                sums.firstIndex { $0.currency == amount.currency }
                ?? {
                    sums.append(TimelineSum(currency: amount.currency))
                    return sums.count - 1
                }()
            switch movement {
            case .charge:
                sums[index].chargeCount += 1
                sums[index].charged += amount.minorUnits
            case .back: sums[index].givenBack += amount.minorUnits
            }
        }
        return sums
    }

    private func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: currency) }

    /// `29.97 USD in 3 charges, 4.12 USD given back, 25.85 USD kept`
    var words: String {
        let charges = "\(Format.price(money(charged))) in \(Format.count(chargeCount, "charge"))"
        guard givenBack > 0 else { return charges }
        return
            "\(charges), \(Format.price(money(givenBack))) given back, \(Format.price(money(charged - givenBack))) kept"
    }

    /// `{"charges":3,"charged":{…},"givenBack":{…},"kept":{…}}`
    var json: JSONValue {
        [
            "charges": .integer(chargeCount), "charged": JSONText.value(money(charged)),
            "givenBack": JSONText.value(money(givenBack)), "kept": JSONText.value(money(charged - givenBack)),
        ]
    }
}

extension SubscriptionEvent {
    fileprivate enum Movement { case charge, back }

    /// The direction of an amount. Nil for an event that moves no money.
    fileprivate var movement: Movement? {
        switch kind {
        case .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .crossgraded: .charge
        case .refunded, .refundedProrated: .back
        case .billingFailed, .gracePeriodStarted, .billingRetryStarted, .gracePeriodExpired, .expired,
            .autoRenewDisabled, .autoRenewEnabled, .changeScheduled, .changeReverted, .revoked, .extended,
            .priceChanged, .groupChanged, .priceIncreasePending, .priceIncreaseAgreed, .priceIncreaseDeclined,
            .priceIncreaseWithdrawn:
            nil
        }
    }
}

/// The events of subscriptions, one a line:
///
/// ```
/// 2026-11-21  subscribed  alice  com.example.pro.monthly  0.00 USD  trial, until 2026-11-28
/// 2026-11-28  renewed     alice  com.example.pro.monthly  9.99 USD  until 2026-12-28, trial ended
/// ```
struct SubscriptionEventLines: Sendable {
    let events: [SubscriptionEvent]
    /// Whether the lines name the account, because several accounts exist.
    let showsAccount: Bool
    private let remarks: [String]
    private let showsTime: Bool

    /// - Parameter showsTime: Whether times are shown with the dates: ``isShort(from:to:)``.
    init(_ events: [SubscriptionEvent], showsAccount: Bool, showsTime: Bool) {
        self.events = events
        self.showsAccount = showsAccount
        self.showsTime = showsTime
        var offers: [ExactText: AppliedOffer] = [:]
        remarks = events.map { event in
            let subscription = event.originalTransactionIdentifier
            let before = offers[subscription]
            if event.beginsPeriod { offers[subscription] = event.offer }
            return SubscriptionFormat.remark(event, after: before) { Self.instant($0, showsTime) }
        }
    }

    /// Whether a range is within two days, where dates alone do not distinguish events.
    static func isShort(from start: Timestamp, to end: Timestamp) -> Bool {
        end.milliseconds - start.milliseconds < 2 * 86_400_000
    }

    private static func instant(_ timestamp: Timestamp, _ showsTime: Bool) -> String {
        showsTime ? Format.time(timestamp) : ClockFormat.date(timestamp)
    }

    func text(_ style: Style, indent: String = "") -> String {
        let account: [Table.Column] = showsAccount ? ["ACCOUNT"] : []
        let columns: [Table.Column] = ["AT", .state("KIND")] + account + ["PRODUCT", .right("AMOUNT"), "REMARKS"]
        let table = Table(columns, zip(events, remarks)) { event, remark in
            [Self.instant(event.at, showsTime), event.kind.rawValue] + (showsAccount ? [event.account ?? "-"] : [])
                + [event.productIdentifier, event.amount.map(Format.price) ?? "-", remark]
        }
        return table.lines(style).map { indent + $0 }.joined()
    }

    /// The events with their remarks.
    var json: [JSONValue] {
        zip(events, remarks).map { event, remark in
            JSONText.value(event).with(["remark": .string(remark)])
        }
    }
}

extension SubscriptionEvent {
    /// Whether a paid period begins with the event, and its offer applies from then on.
    var beginsPeriod: Bool {
        switch kind {
        case .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .crossgraded: true
        default: false
        }
    }
}

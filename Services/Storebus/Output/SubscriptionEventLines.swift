import StoreModels

/// What has happened to subscriptions, one event a line:
///
/// ```
/// 2026-11-21  subscribed  alice  com.example.pro.monthly  0.00 USD  trial, until 2026-11-28
/// 2026-11-28  renewed     alice  com.example.pro.monthly  9.99 USD  until 2026-12-28, trial ended
/// ```
struct SubscriptionEventLines: Sendable {
    let events: [SubscriptionEvent]
    /// Where all are of one account, naming it in each line says nothing.
    let showsAccount: Bool
    private let remarks: [String]
    private let showsTime: Bool

    /// - Parameter showsTime: whether a date alone says too little: ``isShort(from:to:)``.
    init(_ events: [SubscriptionEvent], showsAccount: Bool, showsTime: Bool) {
        self.events = events
        self.showsAccount = showsAccount
        self.showsTime = showsTime
        var offers: [ExactText: AppliedOffer] = [:]
        remarks = events.map { event in
            let subscription = event.originalTransactionIdentifier
            let before = offers[subscription]
            if event.beginsPeriod { offers[subscription] = event.offer }
            return SubscriptionWords.remark(event, after: before) { Self.instant($0, showsTime) }
        }
    }

    /// Within two days, dates would say the same in each line.
    static func isShort(from start: Timestamp, to end: Timestamp) -> Bool {
        end.milliseconds - start.milliseconds < 2 * 86_400_000
    }

    private static func instant(_ timestamp: Timestamp, _ showsTime: Bool) -> String {
        showsTime ? Words.time(timestamp) : ClockWords.date(timestamp)
    }

    func text(_ style: Style, indent: String = "") -> String {
        var table = Table(
            [.init("AT"), .init("KIND", isState: true)] + (showsAccount ? [.init("ACCOUNT")] : [])
                + [.init("PRODUCT"), .init("AMOUNT", .right), .init("REMARKS")])
        for (event, remark) in zip(events, remarks) {
            table.add(
                [Self.instant(event.at, showsTime), event.kind.rawValue] + (showsAccount ? [event.account ?? "-"] : [])
                    + [event.productIdentifier, event.amount.map(Words.price) ?? "-", remark])
        }
        return table.lines(style).map { indent + $0 }.joined()
    }

    /// The events with what the last column says.
    var json: [JSONValue] {
        zip(events, remarks).map { event, remark in
            var members = JSONText.value(event).objectValue ?? [:]
            members["remark"] = .string(remark)
            return .object(members)
        }
    }
}

extension SubscriptionEvent {
    /// Whether a period that somebody bought begins with it, and so the offer that counts from then on.
    var beginsPeriod: Bool {
        switch kind {
        case .subscribed, .resubscribed, .renewed, .recovered, .upgraded, .crossgraded: true
        default: false
        }
    }
}

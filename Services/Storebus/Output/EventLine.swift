import StoreModels

/// One event seen from outside:
///
/// ```
/// 10:00:04  alice  2000000000000001  purchased  pro.monthly  trial, expires 2026-11-28 10:00:04Z
/// ```
enum EventLine {
    static func text(
        _ event: StoreEvent, _ format: OutputFormat, _ style: Style, at now: Timestamp
    ) -> String {
        switch format {
        case .json, .jsonl: JSONText.line(JSONText.value(event)) + "\n"
        case .names: Words.name(event.transaction) + "\n"
        case .human: line(event, style, at: now)
        }
    }

    private static func line(_ event: StoreEvent, _ style: Style, at now: Timestamp) -> String {
        let words = [
            Words.clock(now), event.account, Words.name(event.transaction), event.type.rawValue,
            event.transaction.payment.productIdentifier, Words.remarks(event.transaction),
        ].map(Table.onOneLine)
        return words.enumerated().filter { !$1.isEmpty }
            .map { $0 == 3 ? style.paint($1, .of(state: $1)) : $1 }.joined(separator: "  ") + "\n"
    }

    /// The same of an intent.
    static func text(_ event: IntentEvent, _ style: Style, at now: Timestamp) -> String {
        let words = [
            Words.clock(now), event.account, event.intent.intentIdentifier, event.type.rawValue,
            event.intent.payment.productIdentifier, IntentTable.remarks(event.intent),
        ]
        return words.filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ") + "\n"
    }
}

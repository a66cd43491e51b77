import StoreHTTP
import StoreModels

/// The observer's events as lines:
///
/// ```
/// 10:00:04  alice  2000000000000001  purchasing → purchased  pro.monthly  trial, expires 2026-11-28 10:00:04Z
/// ```
struct EventPrinter: Sendable {
    private let account: String
    /// The last states by transaction, for the arrow. Removed with the transaction.
    private var states: [ExactText: TransactionState] = [:]
    private var lastComment = ""

    private let ends: Bool

    /// - Parameter ends: Whether the command ends once everything was received.
    init(account: String, ends: Bool = false) {
        self.account = account
        self.ends = ends
    }

    /// An event as JSON: `{"data":{…},"event":"updatedTransactions","id":"7"}`
    static func json(_ event: ServerSentEvent) -> String {
        var members: [String: JSONValue] = ["event": .string(event.name)]
        members["data"] = (try? StrictJSON.parse(event.data)) ?? .string(event.text)
        if let id = event.id { members["id"] = .string(id) }
        return JSONText.line(.object(members))
    }

    /// One or more lines, each with its line feed. Empty for an empty list.
    mutating func text(_ event: ServerSentEvent, at now: Timestamp) -> String {
        let time = Format.clock(now)
        let lines: [String]
        switch StreamEventName(rawValue: event.name) {
        case .updatedTransactions: lines = Self.transactions(event).map { updated($0) }
        case .removedTransactions: lines = Self.transactions(event).map { removed($0) }
        case .updatedDownloads:
            lines =
                Self.decode(DownloadsEvent<Download>.self, event)?.downloads.map {
                    "download  \(DownloadTable.line($0))"
                } ?? []
        case .restoreCompletedTransactionsFinished, .restoreCompletedTransactionsFailedWithError:
            lines = [Self.restoreEnd(event)]
        case .promotedPurchase: lines = [Self.promoted(event)]
        case .openApp: lines = [Self.opened(event)]
        case .synchronized: lines = [ends ? "up to date" : "up to date, waiting      ^C ends"]
        default: lines = ["\(event.name)  \(Table.onOneLine(event.text))"]
        }
        return lines.map { "\(time)  \(account)  \($0)\n" }.joined()
    }

    /// Formats a comment of the stream, such as a missing service. Nil for `alive`.
    mutating func note(_ comment: String) -> Advice? {
        guard comment != lastComment else { return nil }
        lastComment = comment
        return comment.isEmpty || comment == "alive" ? nil : "note: \(comment)\n"
    }

    /// The event's transactions, one a line, or its intent.
    static func names(_ event: ServerSentEvent) -> String {
        if StreamEventName(rawValue: event.name) == .promotedPurchase {
            return decode(PromotedPurchaseEvent.self, event).map { "\($0.intent.intentIdentifier)\n" } ?? ""
        }
        return transactions(event).map { Format.name($0) + "\n" }.joined()
    }

    private static func transactions(_ event: ServerSentEvent) -> [PaymentTransaction] {
        decode(TransactionsEvent<PaymentTransaction>.self, event)?.transactions ?? []
    }

    /// `promoted purchase  i_01j…  com.example.hiddenBeaches  answer by 2026-11-21 10:00:14Z`
    private static func promoted(_ event: ServerSentEvent) -> String {
        guard let intent = decode(PromotedPurchaseEvent.self, event)?.intent else { return event.name }
        return [
            "promoted purchase", intent.intentIdentifier, intent.payment.productIdentifier,
            IntentTable.remarks(intent),
        ].filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ")
    }

    private static func opened(_ event: ServerSentEvent) -> String {
        "the app is opened"
            + (decode(OpenAppEvent.self, event).map { "  \(Table.onOneLine($0.intentIdentifier))" } ?? "")
    }

    private static func decode<Data: Decodable>(_ type: Data.Type, _ event: ServerSentEvent) -> Data? {
        try? StoreJSON.decode(type, from: event.data)
    }

    /// `restore  r_01j…  failed  unknown (0)`
    private static func restoreEnd(_ event: ServerSentEvent) -> String {
        guard let end = decode(RestoreEndEvent.self, event) else { return event.name }
        let error = end.error.map { "failed  \($0.name) (\($0.code))" }
        return "restore  \(end.restoreIdentifier)  \(error ?? "finished")"
    }

    private mutating func updated(_ transaction: PaymentTransaction) -> String {
        let state = transaction.transactionState
        let before = states.updateValue(state, forKey: ExactText(transaction.id))
        let change =
            before.map { $0 == state ? state.rawValue : "\($0.rawValue) → \(state.rawValue)" } ?? state.rawValue
        return line(transaction, change)
    }

    private mutating func removed(_ transaction: PaymentTransaction) -> String {
        states[transaction.id] = nil
        return line(transaction, "finished")
    }

    private func line(_ transaction: PaymentTransaction, _ change: String) -> String {
        let remarks = Format.remarks(transaction)
        return [Format.name(transaction), change, transaction.payment.productIdentifier, remarks]
            .filter { !$0.isEmpty }.joined(separator: "  ")
    }
}

/// One event of the operator's log:
///
/// ```
/// 2026-11-21 10:00:04Z  alice  2000000000000001  purchased  pro.monthly  trial, expires 2026-11-28 10:00:04Z
/// ```
enum EventLine {
    static func text(_ event: StoreEvent, _ format: OutputFormat, _ style: Style) -> String {
        switch format {
        case .json, .jsonl: JSONText.line(JSONText.value(event)) + "\n"
        case .names: Format.name(event.transaction) + "\n"
        case .human: line(event, style)
        }
    }

    private static func line(_ event: StoreEvent, _ style: Style) -> String {
        let words = [
            Format.time(event.at), event.account, Format.name(event.transaction), event.type.rawValue,
            event.transaction.payment.productIdentifier, Format.remarks(event.transaction),
        ].map(Table.onOneLine)
        return words.enumerated().filter { !$1.isEmpty }
            .map { $0 == 3 ? style.paint($1, .of(state: $1)) : $1 }.joined(separator: "  ") + "\n"
    }

    /// One event of an intent.
    static func text(_ event: IntentEvent, _ style: Style) -> String {
        let words = [
            Format.time(event.at), event.account, event.intent.intentIdentifier, event.type.rawValue,
            event.intent.payment.productIdentifier, IntentTable.remarks(event.intent),
        ]
        return words.filter { !$0.isEmpty }.map(Table.onOneLine).joined(separator: "  ") + "\n"
    }
}

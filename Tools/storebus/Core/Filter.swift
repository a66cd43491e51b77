import StoreModels

/// A filter for transactions or events: terms `name=value` and `name~text`, all of which must match.
///
/// Quote a value with spaces. The console's filter is the same (`lib/filter.js`), and
/// `Tests/Filters/cases.json` has what both understand.
///
/// ```
/// state=deferred account="alice b" product~pro. since=10d
/// ```
struct Filter: Hashable, Sendable {
    enum Comparison: Hashable, Sendable { case equals, contains }

    struct Term: Hashable, Sendable {
        var name: String
        var comparison: Comparison
        var value: String
    }

    static let names = ["account", "bundleId", "device", finished, "id", "product", "since", "state", "type"]
    /// The term that events lack: an event shows what happened, and not whether its transaction was finished.
    private static let finished = "finished"
    /// The values of `state`.
    static let states = TransactionState.rawValues + PaymentTransaction.Withdrawal.rawValues

    private(set) var terms: [Term] = []
    private let isOfEvents: Bool
    /// The values of `type`.
    private var types = StoreEvent.Kind.rawValues

    /// - Parameters:
    ///   - words: Each has one or more terms, separated by spaces.
    ///   - ofEvents: Whether it is for events. A word without `=` and `~` is then a `type`, and `finished` is refused.
    ///   - alsoTypes: Values of `type` besides those of transactions.
    init(_ words: [String], ofEvents: Bool = false, alsoTypes: [String] = []) throws(CLIError) {
        isOfEvents = ofEvents
        types += alsoTypes
        for word in words.flatMap(Self.split) { try add(word[...]) }
    }

    /// Splits words at spaces outside double quotes.
    private static func split(_ text: String) -> [String] {
        var words = [""]
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if character.isWhitespace, !isQuoted { words.append("") } else { words[words.count - 1].append(character) }
        }
        return words.filter { !$0.isEmpty }
    }

    mutating func add(_ name: String, _ value: String?) throws(CLIError) {
        if let value { try add(Term(name: name, comparison: .equals, value: value)) }
    }

    private mutating func add(_ word: Substring) throws(CLIError) {
        guard let sign = word.firstIndex(where: { $0 == "=" || $0 == "~" }) else {
            guard isOfEvents else {
                throw CLIError(
                    .usage, "'\(word)' is not a term of a filter", hints: ["for example state=deferred product~pro."])
            }
            return try add(Term(name: "type", comparison: .equals, value: String(word)))
        }
        try add(
            Term(
                name: String(word[..<sign]), comparison: word[sign] == "=" ? .equals : .contains,
                value: word[word.index(after: sign)...].filter { $0 != "\"" }))
    }

    private mutating func add(_ term: Term) throws(CLIError) {
        let names = Self.names.filter { !isOfEvents || $0 != Self.finished }
        guard names.contains(term.name) else {
            let near: [Advice] =
                isOfEvents && term.name == Self.finished
                ? ["the events of finished transactions: type=finished"]
                : Suggestion.hints(for: term.name, among: names)
            throw CLIError(
                .usage, "a filter \(isOfEvents ? "of events " : "")knows no '\(term.name)'",
                hints: near + ["it knows \(names.joined(separator: ", "))"])
        }
        let known = term.name == "type" ? types : Self.values(term.name)
        if let known, term.comparison == .equals, !known.contains(term.value) {
            let near = Suggestion.hints(for: term.value, among: known)
            throw CLIError(
                .usage, "'\(term.value)' is no \(term.name)",
                hints: near + ["it is \(known.joined(separator: ", "))"])
        }
        if term.name == "since", BusinessDuration(term.value) == nil {
            throw CLIError(.usage, "'\(term.value)' is not a time", hints: ["for example since=10m"])
        }
        terms.append(term)
    }

    private static func values(_ name: String) -> [String]? {
        switch name {
        case "state": states
        case finished: ["yes", "no"]
        default: nil
        }
    }

    /// The terms as text.
    var words: [String] {
        terms.map { term in
            let value = term.value.contains(where: \.isWhitespace) ? "\"\(term.value)\"" : term.value
            return "\(term.name)\(term.comparison == .equals ? "=" : "~")\(value)"
        }
    }

    /// The value a name must equal, for filtering by the store.
    func exact(_ name: String) -> String? {
        terms.first { $0.name == name && $0.comparison == .equals }?.value
    }

    /// Whether a term counts from the present.
    var needsClock: Bool { terms.contains { $0.name == "since" } }

    /// Whether a transaction matches.
    /// - Parameters:
    ///   - isFinished: Nil for an event.
    ///   - type: Type of its event, or nil without an event.
    ///   - now: The time by the app's clock. Nil ignores `since`.
    func matches(
        _ transaction: PaymentTransaction, account: String, bundleId: String, isFinished: Bool? = nil,
        type: StoreEvent.Kind? = nil, now: Timestamp?
    ) -> Bool {
        terms.allSatisfy { term in
            switch term.name {
            case "account": term.holds(account)
            case "bundleId": term.holds(bundleId)
            case "product": term.holds(transaction.payment.productIdentifier)
            case "device": term.holds(transaction.originDeviceId)
            case Self.finished: isFinished.map { term.holds($0 ? "yes" : "no") } ?? false
            case "state": term.holds(transaction.shownState)
            case "type": term.holds(type?.rawValue ?? transaction.transactionState.rawValue)
            case "id": term.holds(transaction.id) || transaction.transactionIdentifier.map(term.holds) == true
            case "since": term.isWithin(transaction.transactionDate, now)
            default: false
            }
        }
    }
}

extension Filter {
    /// Whether an intent's event matches. Only these terms apply to it.
    func matches(_ event: IntentEvent) -> Bool {
        terms.allSatisfy { term in
            switch term.name {
            case "account": term.holds(event.account)
            case "bundleId": term.holds(event.bundleId)
            case "product": term.holds(event.intent.payment.productIdentifier)
            case "id": term.holds(event.intent.intentIdentifier)
            case "type": term.holds(event.type.rawValue)
            default: false
            }
        }
    }
}

extension Filter.Term {
    fileprivate func holds(_ text: String) -> Bool { comparison == .equals ? text == value : contains(text) }

    private func contains(_ text: String) -> Bool {
        value.isEmpty || text.indices.contains { text[$0...].hasPrefix(value) }
    }

    /// A transaction without a date counts as current.
    fileprivate func isWithin(_ date: Timestamp?, _ now: Timestamp?) -> Bool {
        guard let date, let now, let time = BusinessDuration(value) else { return true }
        return time.end(from: date) >= now
    }
}

extension PaymentTransaction {
    /// How a purchase was taken back.
    enum Withdrawal: String, CaseIterable { case refunded, revoked }

    /// The state as lists show it: the transaction's, or how the purchase was taken back.
    var shownState: String {
        guard revocationDate != nil else { return transactionState.rawValue }
        let isRefund = revocationType != nil && revocationType != .familyRevoke
        return (isRefund ? Withdrawal.refunded : .revoked).rawValue
    }
}

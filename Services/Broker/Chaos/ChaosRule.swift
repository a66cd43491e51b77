import BusProtocol

/// Which messages a fault strikes, and how often.
///
/// `{"match":"sb.payment-queue.v1.>","from":"gateway","to":"payment-queue","p":0.2,"action":"delay","ms":50,"count":10}`
package struct ChaosRule: Sendable, Equatable {
    /// Subjects. As everywhere, a wildcard as the first token takes neither inboxes nor what begins with `$`: answers are
    /// struck by `_INBOX.>`.
    package var match: SubjectPattern
    /// Who publishes: the connection's name or its user. Nil for anybody.
    package var from: String?
    /// Whom it is for: the connection's name or its user. Nil for anybody.
    package var to: String?
    /// How likely it strikes, 0…1.
    package var p: Double
    package var action: ChaosAction
    /// For `delay`, and for `reorder` the longest wait for another message.
    package var milliseconds: Int
    /// How often it strikes at most; nil without end.
    package var count: Int?

    package static let millisecondsRange = 1...60_000
    package static let millisecondsDefault = 100

    package init(
        match: SubjectPattern, from: String? = nil, to: String? = nil, p: Double = 1, action: ChaosAction,
        milliseconds: Int = ChaosRule.millisecondsDefault, count: Int? = nil
    ) {
        self.match = match
        self.from = from
        self.to = to
        self.p = p
        self.action = action
        self.milliseconds = milliseconds
        self.count = count
    }

    /// Whether the rule speaks of such a message at all.
    func concerns(_ subject: Span<UInt8>, from publisher: ChaosParty, to target: ChaosParty) -> Bool {
        publisher.isCalled(from) && target.isCalled(to)
            && SubjectSyntax.matches(pattern: match.text.utf8.span, subject: subject)
    }
}

/// One end of a delivery, as rules name it.
struct ChaosParty {
    let name: String
    let user: String

    func isCalled(_ wanted: String?) -> Bool { wanted == nil || wanted == name || wanted == user }
}

extension ChaosParty {
    init(_ connection: BrokerConnection) {
        self.init(name: connection.name, user: connection.user)
    }
}

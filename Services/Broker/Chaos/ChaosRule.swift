import BusProtocol

/// Selects the messages that get a fault, and how often.
///
/// ```json
/// {"match":"sb.payment.v1.>","from":"gateway","to":"payment-queue","p":0.2,
///  "action":"delay","ms":50,"count":10}
/// ```
package struct ChaosRule: Sendable, Equatable {
    /// Pattern of subjects. As everywhere, a wildcard as the first token matches neither inboxes nor subjects that
    /// begin with `$`: answers match `_INBOX.>`.
    package var match: SubjectPattern
    /// The publisher's connection name or user; nil for any.
    package var from: String?
    /// The receiver's connection name or user; nil for any.
    package var to: String?
    /// Probability of a fault, 0…1.
    package var p: Double
    package var action: ChaosAction
    /// Milliseconds of `delay`, and the longest wait of `reorder` for another message.
    package var milliseconds: Int
    /// Maximum number of faults; nil for no limit.
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

    /// Whether the rule concerns such a message.
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

/// Effect of a fault on a message, or on its receiver's connection.
package enum ChaosAction: String, CaseIterable, Sendable, Codable {
    /// The message is lost.
    case drop
    /// It arrives twice.
    case dup
    /// It arrives later; others overtake it.
    case delay
    /// It arrives after the next message for the same connection. Without a next one it arrives after its delay.
    case reorder
    /// One bit of its prefix or header is flipped. Bodies are not changed: the bus does not protect them, so such a
    /// test would check nothing the bus guarantees.
    case corrupt
    /// The receiver's connection is cut.
    case close
    /// It arrives in many small pieces, and later bytes after them.
    case slice
    /// The receiver's connection carries nothing any more in either direction, and is not closed.
    case blackhole
}

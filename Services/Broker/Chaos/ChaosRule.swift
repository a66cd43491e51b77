import BusProtocol

/// A rule that selects the messages that get a fault.
///
/// ```json
/// {"match":"sb.payment.v1.>","from":"gateway","to":"payment-queue","p":0.2,
///  "action":"delay","ms":50,"count":10}
/// ```
package struct ChaosRule: Sendable, Equatable {
    /// The pattern of subjects. A wildcard as the first token matches neither inboxes nor subjects that begin with `$`,
    /// as in subscriptions. Replies match `_INBOX.>`.
    package var match: SubjectPattern
    /// The publisher's connection name or user. Nil for any.
    package var from: String?
    /// The receiver's connection name or user. Nil for any.
    package var to: String?
    /// The probability of a fault, 0…1.
    package var p: Double
    /// The fault.
    package var action: ChaosAction
    /// The milliseconds of `delay`, and the longest wait of `reorder` for another message.
    package var milliseconds: Int
    /// Maximum number of faults. Nil for no limit.
    package var count: Int?

    /// The allowed range of ``milliseconds``.
    package static let millisecondsRange = 1...60_000
    /// The value of ``milliseconds`` in a request without it.
    package static let millisecondsDefault = 100

    /// Creates a rule. A request's values are checked by ``WireRule/checked(_:)``.
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

    /// Whether the rule concerns a message.
    func concerns(_ subject: Span<UInt8>, from publisher: ChaosParty, to target: ChaosParty) -> Bool {
        publisher.isCalled(from) && target.isCalled(to)
            && SubjectSyntax.matches(pattern: match.text.utf8.span, subject: subject)
    }
}

/// One end of a delivery, identified by connection name or user.
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

/// The effect of a fault on a message, or on its receiver's connection.
package enum ChaosAction: String, CaseIterable, Sendable, Codable {
    /// The message is lost.
    case drop
    /// The message arrives twice.
    case dup
    /// The message arrives later, after messages sent after it.
    case delay
    /// The message arrives after the next one for the same connection. Without a next one it arrives after its delay.
    case reorder
    /// One bit of the frame's prefix or header is flipped. Bodies are not changed, because the bus does not protect
    /// them.
    case corrupt
    /// The receiver's connection is cut.
    case close
    /// The message arrives in many small pieces, and later bytes after them.
    case slice
    /// The receiver's connection carries no more bytes in either direction, and is not closed.
    case blackhole
}

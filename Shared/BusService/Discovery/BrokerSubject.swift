import BusClient
import BusProtocol

/// The subjects that the broker itself answers, for the bus's operator.
package enum BrokerSubject {
    /// The broker's counters, as nats-server's `/varz`.
    package static let state = "$SYS.REQ.VARZ"
    /// Whether the broker takes connections, and whether it injects faults.
    package static let health = "$SYS.REQ.HEALTHZ"
    /// The connections, as nats-server's `/connz`.
    package static let connections = "$SYS.REQ.CONNZ"
    /// The subscriptions, as nats-server's `/subsz`.
    package static let subscriptions = "$SYS.REQ.SUBSZ"
    /// The rules of fault injection.
    package static let rules = "$SYS.CHAOS.LIST"
    /// Replaces the rules of fault injection.
    package static let setRules = "$SYS.CHAOS.SET"
    /// Removes the rules of fault injection.
    package static let clearRules = "$SYS.CHAOS.CLEAR"

    /// Returns the subject on which copies of messages arrive. Nil unless the pattern can be tapped.
    package static func tap(_ pattern: String) -> String? {
        guard (try? SubjectPattern(pattern)) != nil, !SubjectSyntax.isHiddenFromWildcards(pattern.utf8.span) else {
            return nil
        }
        return "$SYS.TAP.\(pattern)"
    }

    /// Returns the broker's reason for refusing a request, or nil for a result.
    package static func refusal(in reply: BusMessage) -> String? { reply.headers[BusHeader.natsServiceError] }
}

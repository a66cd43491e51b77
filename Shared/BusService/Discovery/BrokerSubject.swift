import BusClient
import BusProtocol
import StoreModels

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

    /// The subject on which copies of all replies arrive, without their bodies.
    package static let replies = "$SYS.TAP._INBOX.>"

    /// Returns the subject on which copies of messages arrive. Nil unless the pattern can be tapped.
    package static func tap(_ pattern: String) -> String? {
        guard (try? SubjectPattern(pattern)) != nil, !SubjectSyntax.isHiddenFromWildcards(pattern.utf8.span) else {
            return nil
        }
        return "$SYS.TAP.\(pattern)"
    }

    /// Whether a message is a reply, or the broker's answer in its place.
    package static func isReply(_ message: BusMessage) -> Bool { message.subject.utf8.starts(with: "_INBOX.".utf8) }

    /// Whether services request it regularly, whether or not anything happens.
    package static func isPoll(_ subject: String) -> Bool {
        polls.contains(ExactText(subject))
    }

    private static let polls: Set = [
        ExactText(PaymentEndpoints.listEvents.subject), ExactText(PromotionEndpoints.listEvents.subject),
        ExactText(ServerAPIEndpoints.listEvents.subject),
    ]

    /// Returns the service that a request's subject belongs to. Nil for an event and for subjects of others.
    package static func service(of subject: String) -> ServiceName? {
        let tokens = subject.split(separator: ".", maxSplits: 3)
        guard tokens.count == 4, tokens[0].utf8.elementsEqual("sb".utf8) else { return nil }
        return ServiceName.allCases.first { $0.subjectToken.utf8.elementsEqual(tokens[1].utf8) }
    }

    /// Returns the broker's reason for refusing a request, or nil for a result.
    package static func refusal(in reply: BusMessage) -> String? { reply.headers[BusHeader.natsServiceError] }
}

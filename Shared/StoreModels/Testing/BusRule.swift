/// A fault that the broker's injector causes on the messages of a service.
package enum BusFault: String, CaseIterable, Sendable, Codable {
    /// Messages to and from the service are lost.
    case drop
    /// Messages to and from the service arrive twice.
    case duplicate
    /// Messages to and from the service arrive late.
    case delay
    /// Messages to and from the service overtake each other.
    case reorder
    /// Replies to the service have a flipped bit in their header.
    case corrupt
    /// The bus carries no message to or from the service.
    case partition

    /// The name of the broker as a target: the bus of every service.
    package static let broker = "broker"
    /// The names of the targets of a fault.
    package static let targets = [broker] + ServiceName.allCases.map(\.rawValue)

    /// Returns the rules of the fault at a service, or at ``broker``.
    package func rules(at service: String) -> [BusRule] {
        let name = service == Self.broker ? nil : service
        return switch self {
        case .drop: Self.both(name, ["sb.>", "_INBOX.>"], p: 0.2, "drop")
        case .duplicate: Self.both(name, ["sb.>", "_INBOX.>"], p: 0.3, "dup")
        case .delay: Self.both(name, ["sb.>", "_INBOX.>"], p: 0.3, "delay", ms: 250)
        case .reorder: Self.both(name, ["sb.>", "_INBOX.>"], p: 0.3, "reorder", ms: 250)
        // Replies only: nothing guards the header of a request, and a flipped bit in it may name another customer.
        case .corrupt: [BusRule(match: "_INBOX.>", to: name, p: 0.05, action: "corrupt")]
        // Requests, replies and discovery: a wildcard at the beginning matches neither inboxes nor `$SRV`.
        case .partition: Self.both(name, ["sb.>", "_INBOX.>", "$SRV.>"], p: 1, "drop")
        }
    }

    /// Returns rules without those of the fault at a service, each removed once.
    package func removed(from rules: [BusRule], at service: String) -> [BusRule] {
        var kept = rules
        for rule in self.rules(at: service) {
            if let index = kept.firstIndex(where: rule.isSame) { kept.remove(at: index) }
        }
        return kept
    }

    private static func both(
        _ name: String?, _ matches: [String], p: Double, _ action: String, ms: Int? = nil
    ) -> [BusRule] {
        guard let name else { return matches.map { BusRule(match: $0, p: p, action: action, ms: ms) } }
        return matches.flatMap { match in
            [
                BusRule(match: match, to: name, p: p, action: action, ms: ms),
                BusRule(match: match, from: name, p: p, action: action, ms: ms),
            ]
        }
    }
}

/// A rule of the broker's fault injector, as `$SYS.CHAOS.SET` takes it (Services/Broker/README.md).
///
/// ```json
/// {"action":"drop","match":"sb.>","p":0.2,"to":"payment-queue"}
/// ```
package struct BusRule: Hashable, Sendable, Codable {
    /// The pattern of the messages' subjects.
    package var match: String
    /// The publisher's connection, absent for any.
    package var from: String?
    /// The receiver's connection, absent for any.
    package var to: String?
    /// The probability of a fault, 0…1.
    package var p: Double
    /// The fault's name in the broker: `drop`, `dup`, `delay`.
    package var action: String
    /// Milliseconds of `delay` and `reorder`, absent for the broker's own.
    package var ms: Int?
    /// Maximum number of faults, absent for no limit.
    package var count: Int?
    /// In replies: the number of messages that the rule concerned.
    package var matched: Int?
    /// In replies: the number of messages that got a fault.
    package var struck: Int?

    /// Returns the rule without counters, to be set again.
    package var withoutCounters: BusRule {
        var rule = self
        (rule.matched, rule.struck) = (nil, nil)
        return rule
    }

    /// Whether the broker does the same for both. Its replies have milliseconds for every action.
    package func isSame(as other: BusRule) -> Bool {
        match == other.match && from == other.from && to == other.to && p == other.p && action == other.action
            && count == other.count && (ms == other.ms || ms == nil || other.ms == nil)
    }
}

/// The body of `$SYS.CHAOS.SET`.
package struct BusRuleSet: Hashable, Sendable, Codable {
    /// Maximum number of rules that the broker takes.
    package static let rulesMax = 64

    /// The seed of the injector's random numbers.
    package var seed: UInt64
    /// The rules that replace those in force.
    package var rules: [BusRule]

    /// - Parameter seed: Reduced to the 53 bits that the broker takes.
    package init(seed: UInt64, rules: [BusRule]) {
        self.seed = seed & (1 << 53 - 1)
        self.rules = rules
    }
}

/// The reply to every request under `$SYS.CHAOS.`: the rules in force.
package struct BusRulesInForce: Hashable, Sendable, Codable {
    /// The seed of the injector's random numbers.
    package var seed: UInt64
    /// The rules with their counters.
    package var rules: [BusRule]
    /// The number of faults since the broker started, by action.
    package var faults: [String: Int]  // keys: actions of the broker
}

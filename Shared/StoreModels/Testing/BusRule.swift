import StoreModels

/// A rule of the broker's fault injector, as `$SYS.CHAOS.SET` takes it (Services/Broker/README.md).
///
/// ```json
/// {"action":"drop","match":"sb.>","p":0.2,"to":"payment-queue"}
/// ```
package struct BusRule: Hashable, Sendable, Codable {
    package var match: String
    /// The publisher's connection; nil for any.
    package var from: String?
    /// The receiver's connection; nil for any.
    package var to: String?
    package var p: Double
    package var action: String
    /// Milliseconds of `delay` and `reorder`; nil for the broker's own.
    package var ms: Int?

    package init(
        match: String, from: String? = nil, to: String? = nil, p: Double, action: String, ms: Int? = nil
    ) {
        self.match = match
        self.from = from
        self.to = to
        self.p = p
        self.action = action
        self.ms = ms
    }

    /// Requests, replies and discovery: a wildcard at the beginning matches neither inboxes nor `$SRV`.
    private static let everything = ["sb.>", "_INBOX.>", "$SRV.>"]

    /// The rules of a fault at one service; empty for faults of other means.
    ///
    /// The broker as target is the bus of every service: rules without a name.
    package static func rules(_ fault: FaultName, at service: String) -> [BusRule] {
        let name = service == "broker" ? nil : service
        switch fault {
        case .drop: return both(name, ["sb.>", "_INBOX.>"], p: 0.2, "drop")
        case .duplicate: return both(name, ["sb.>", "_INBOX.>"], p: 0.3, "dup")
        case .delay: return both(name, ["sb.>", "_INBOX.>"], p: 0.3, "delay", ms: 250)
        case .reorder: return both(name, ["sb.>", "_INBOX.>"], p: 0.3, "reorder", ms: 250)
        // Replies only: nothing guards the header of a request, and a flipped bit in it may name another customer.
        case .corrupt: return [BusRule(match: "_INBOX.>", to: name, p: 0.05, action: "corrupt")]
        case .partition: return both(name, everything, p: 1, "drop")
        default: return []
        }
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

/// The body of `$SYS.CHAOS.SET`.
package struct BusRuleSet: Hashable, Sendable, Codable {
    package var seed: UInt64
    package var rules: [BusRule]

    /// - Parameter seed: Reduced to the 53 bits that the broker takes.
    package init(seed: UInt64, rules: [BusRule]) {
        self.seed = seed & (1 << 53 - 1)
        self.rules = rules
    }
}

import BusProtocol
import FoundationEssentials

extension BrokerCore {
    /// Handles `$SYS.CHAOS.{SET,LIST,CLEAR}`. Nil for another subject, and always in a broker without fault injection,
    /// where these subjects are reserved like all others under `$SYS.`.
    func chaosReply(_ subject: Span<UInt8>, _ body: Span<UInt8>) -> (body: [UInt8], headers: BusHeaders)? {
        guard let chaos else { return nil }
        if subject.isEqual("$SYS.CHAOS.SET") {
            do throws(BusViolation) {
                let request = try ChaosRequest(body)
                set(request.rules, seed: request.seed, chaos)
            } catch {
                return Self.refusal(error.reason)
            }
        } else if subject.isEqual("$SYS.CHAOS.CLEAR") {
            set([], seed: chaos.seed, chaos)
        } else if !subject.isEqual("$SYS.CHAOS.LIST") {
            return nil
        }
        return (MonitorJSON.encode(ChaosReply(chaos)), [:])
    }

    private func set(_ rules: [ChaosRule], seed: UInt64, _ chaos: Chaos) {
        chaos.set(rules, seed: seed)
        note(.chaos(seed: seed, rules: rules.count))
    }

    /// Creates an error reply in the format of services.
    private static func refusal(_ message: String) -> (body: [UInt8], headers: BusHeaders) {
        struct Envelope: Encodable {
            struct Problem: Encodable {
                let status = 400
                let code = "requestInvalid"
                let message: String
                let retryable = false
            }
            let error: Problem
        }
        return (
            MonitorJSON.encode(Envelope(error: Envelope.Problem(message: message))),
            [BusHeader.natsServiceError: message, BusHeader.natsServiceErrorCode: "400"]
        )
    }
}

/// The body of `$SYS.CHAOS.SET`, with which an operator sets the rules of fault injection:
///
/// ```json
/// {"seed":7,"rules":[{"match":"sb.>","p":0.05,"action":"drop"},
///  {"match":"_INBOX.>","to":"gateway","action":"delay","ms":50}]}
/// ```
struct ChaosRequest {
    /// The seed, random when the request has none. The reply and the log contain it.
    var seed: UInt64
    var rules: [ChaosRule]

    /// - Throws: `bad_member` that names the rule and the member.
    init(_ body: Span<UInt8>) throws(BusViolation) {
        let bytes = body.withUnsafeBufferPointer(Array.init)
        let wire: Wire
        do {
            wire = try JSONDecoder().decode(Wire.self, from: Data(bytes))
        } catch {
            throw BusViolation(.badMember, "the body is {\"seed\":7,\"rules\":[{\"match\":…,\"action\":…}]}")
        }
        guard wire.rules.count <= Chaos.rulesMax else {
            throw BusViolation(.badMember, "there are at most \(Chaos.rulesMax) rules")
        }
        guard wire.seed ?? 0 <= UInt64(BusLimits.integerMax) else {
            throw BusViolation(.badMember, "the seed is an integer from 0 to 2^53-1")
        }
        seed = wire.seed ?? .random(in: 0...UInt64(BusLimits.integerMax))
        rules = []
        for (index, rule) in wire.rules.enumerated() { rules.append(try rule.checked("rules[\(index)]")) }
    }

    private struct Wire: Decodable {
        var seed: UInt64?
        var rules: [WireRule]
    }
}

/// A rule as JSON, in both directions.
struct WireRule: Codable {
    var match: String
    var from: String?
    var to: String?
    var p: Double?
    var action: String
    var ms: Int?
    var count: Int?
    /// In replies: the number of messages that the rule concerned.
    var matched: Int?
    /// In replies: the number of messages that got a fault.
    var struck: Int?

    init(_ tally: ChaosDice<BrokerGenerator>.Tally) {
        match = tally.rule.match.text
        from = tally.rule.from
        to = tally.rule.to
        p = tally.rule.p
        action = tally.rule.action.rawValue
        ms = tally.rule.milliseconds
        count = tally.rule.count
        matched = tally.matched
        struck = tally.struck
    }

    func checked(_ path: String) throws(BusViolation) -> ChaosRule {
        guard let pattern = try? SubjectPattern(match) else {
            throw BusViolation(.badMember, "\(path).match is not a subject pattern")
        }
        guard let action = ChaosAction(rawValue: action) else {
            let words = ChaosAction.allCases.map(\.rawValue).joined(separator: ", ")
            throw BusViolation(.badMember, "\(path).action is one of \(words)")
        }
        guard (0...1).contains(p ?? 1) else { throw BusViolation(.badMember, "\(path).p is from 0 to 1") }
        let milliseconds = ms ?? ChaosRule.millisecondsDefault
        guard ChaosRule.millisecondsRange.contains(milliseconds) else {
            throw BusViolation(.badMember, "\(path).ms is from 1 to \(ChaosRule.millisecondsRange.upperBound)")
        }
        guard (count ?? 1) >= 1 else { throw BusViolation(.badMember, "\(path).count is from 1") }
        return ChaosRule(
            match: pattern, from: from, to: to, p: p ?? 1, action: action, milliseconds: milliseconds, count: count)
    }
}

/// The reply to every request under `$SYS.CHAOS.`: the rules in force, and their counters.
struct ChaosReply: Encodable {
    let seed: UInt64
    let rules: [WireRule]
    /// The number of faults since the broker started, by action.
    let faults: [String: Int]

    init(_ chaos: Chaos) {
        seed = chaos.seed
        rules = chaos.dice.tallies.map(WireRule.init)
        faults = Dictionary(uniqueKeysWithValues: chaos.counts.map { ($0.key.rawValue, $0.value) })
    }
}

import BusProtocol

/// Decides which messages get faults, with a random generator for each rule.
///
/// A rule draws once for each message it concerns, independent of other rules and traffic. So with the same seed it
/// selects the same messages among those it concerns.
struct ChaosDice<Generator: RandomNumberGenerator> {
    /// A rule's decision to inject a fault.
    struct Strike: Equatable {
        var action: ChaosAction
        var milliseconds: Int
        /// A random number for further choices of the fault.
        var chance: UInt64
    }

    /// A rule's counters.
    struct Tally: Equatable {
        var rule: ChaosRule
        var matched = 0
        var struck = 0
    }

    private(set) var tallies: [Tally]
    private var generators: [Generator]

    /// - Parameter generator: Creates the generator of the rule with an index.
    init(rules: [ChaosRule], generator: (_ index: Int) -> Generator) {
        tallies = rules.map { Tally(rule: $0) }
        generators = rules.indices.map(generator)
    }

    /// Draws a number for each rule of the message. The first rule that hits decides.
    mutating func roll(_ subject: Span<UInt8>, from publisher: ChaosParty, to target: ChaosParty) -> Strike? {
        var strike: Strike?
        for index in tallies.indices where tallies[index].rule.concerns(subject, from: publisher, to: target) {
            let rule = tallies[index].rule
            tallies[index].matched += 1
            let draw = Double.random(in: 0..<1, using: &generators[index])
            let chance = generators[index].next()
            guard strike == nil, draw < rule.p, tallies[index].struck < rule.count ?? .max else { continue }
            tallies[index].struck += 1
            strike = Strike(action: rule.action, milliseconds: rule.milliseconds, chance: chance)
        }
        return strike
    }
}

extension ChaosDice<BrokerGenerator> {
    init(rules: [ChaosRule], seed: UInt64) {
        self.init(rules: rules) { BrokerGenerator(seed: StableHash.mix(seed, UInt64($0))) }
    }
}

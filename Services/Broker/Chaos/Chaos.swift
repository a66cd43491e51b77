import BusProtocol

/// The state of fault injection, which only a broker started with `STOREBUS_CHAOS=1` has.
///
/// The broker does not account for a fault: a lost, held or damaged message counts as delivered, as if the network had
/// caused it.
final class Chaos {
    /// Maximum number of rules in one request.
    static let rulesMax = 64

    private(set) var seed: UInt64 = 0
    private(set) var dice = ChaosDice<BrokerGenerator>(rules: [], seed: 0)
    private(set) var counts: [ChaosAction: Int] = [:]
    var delays = ChaosDelays()
    /// The connections that no longer carry any bytes.
    var blackholes: Set<Int> = []
    /// The connections whose output is being sent in pieces.
    var slices: [Int: ChaosSlices] = [:]
    /// Whether a delayed message or a slice waits for a tick.
    var isHolding: Bool { !delays.isEmpty || !slices.isEmpty }

    /// Replaces the rules. Held messages still arrive, and a black hole remains.
    func set(_ rules: [ChaosRule], seed: UInt64) {
        self.seed = seed
        dice = ChaosDice(rules: rules, seed: seed)
    }

    /// Decides whether and how a fault affects a message.
    func strike(
        _ subject: Span<UInt8>, from publisher: BrokerConnection, to target: BrokerConnection
    ) -> ChaosDice<BrokerGenerator>.Strike? {
        guard !dice.tallies.isEmpty else { return nil }
        guard let strike = dice.roll(subject, from: ChaosParty(publisher), to: ChaosParty(target)) else { return nil }
        counts[strike.action, default: 0] += 1
        return strike
    }

    /// Flips one bit of a frame's prefix or header.
    static func corrupt(_ frame: inout [UInt8], _ chance: UInt64) {
        let header = Int(frame[1]) << 16 | Int(frame[2]) << 8 | Int(frame[3])
        let bits = UInt64(BusLimits.prefixBytes + header) * 8
        let bit = Int(chance % bits)
        frame[bit / 8] ^= 1 << UInt8(bit % 8)
    }
}

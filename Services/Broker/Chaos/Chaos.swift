import BusProtocol

/// Faults on demand. There is none in a broker that was not started with `STOREBUS_CHAOS=1`, and then no message comes
/// near this folder.
///
/// A fault happens behind the broker's back: what is lost, held or torn has been delivered as far as the broker's own
/// books are concerned, as if the network had done it.
final class Chaos {
    /// Rules of one request; more are refused.
    static let rulesMax = 64

    private(set) var seed: UInt64 = 0
    private(set) var dice = ChaosDice<SeededGenerator>(rules: [], seed: 0)
    private(set) var counts: [ChaosAction: Int] = [:]
    var delays = ChaosDelays()
    /// Connections that carry nothing any more.
    var blackholes: Set<Int> = []
    /// Connections whose output leaves in pieces for now.
    var slices: [Int: ChaosSlices] = [:]

    /// Sets other rules; what is held back already still arrives, and a black hole stays one.
    func set(_ rules: [ChaosRule], seed: UInt64) {
        self.seed = seed
        dice = ChaosDice(rules: rules, seed: seed)
    }

    /// Whether and how a message is struck.
    func strike(
        _ subject: Span<UInt8>, from publisher: BrokerConnection, to target: BrokerConnection
    ) -> ChaosDice<SeededGenerator>.Strike? {
        guard !dice.tallies.isEmpty else { return nil }
        guard let strike = dice.roll(subject, from: ChaosParty(publisher), to: ChaosParty(target)) else { return nil }
        counts[strike.action, default: 0] += 1
        return strike
    }

    /// Turns one bit of a frame's prefix or header.
    static func corrupt(_ frame: inout [UInt8], _ chance: UInt64) {
        let header = Int(frame[1]) << 16 | Int(frame[2]) << 8 | Int(frame[3])
        let bits = UInt64(BusLimits.prefixBytes + header) * 8
        let bit = Int(chance % bits)
        frame[bit / 8] ^= 1 << UInt8(bit % 8)
    }
}

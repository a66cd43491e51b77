/// The faults of a run and their moments, a function of its arguments alone.
///
/// Faults come one after the other with quiet gaps, so that each has a recovery to measure. One in four overlaps with
/// the next, and never more than two do.
package struct Schedule: Equatable, Sendable {
    package let faults: [PlannedFault]

    /// Creates a schedule of known faults.
    package init(_ faults: [PlannedFault]) { self.faults = faults }

    /// Lengths in milliseconds of a fault, of the gap behind it, and of the quiet end of the phase.
    private static let lengths = 500...3_000, gaps = 1_000...3_000, quietEnd = 2_000
    /// Lengths of hostile peers, who connect first and are felt by others then.
    private static let hostileLengths = 2_500...4_000
    /// The last fault may be this short, in milliseconds.
    private static let lengthMin = 100

    /// - Parameters:
    ///   - duration: Length of the phase in which faults happen.
    ///   - targets: Services that may be hit.
    ///   - faults: Faults to choose from. A fault without a service to hit is left out.
    package init(seed: UInt64, duration: Duration, targets: [String], faults: [FaultName]) {
        let pairs = faults.flatMap { fault in fault.targets(targets).map { (fault, $0) } }
        guard !pairs.isEmpty else {
            self.faults = []
            return
        }
        var random = SeededGenerator(seed: seed, stream: 1)
        var planned: [PlannedFault] = []
        var bag: [(FaultName, String)] = []
        let last = Int(duration.milliseconds) - Self.quietEnd
        var moment = min(500, max(0, last / 4))
        var overlapped = false
        while moment + Self.lengthMin <= last || planned.isEmpty {
            // Each pair once before any comes a second time, so that a short run misses little.
            if bag.isEmpty { bag = pairs.shuffled(using: &random) }
            let (name, target) = bag.removeLast()
            let room = max(Self.lengthMin, last - moment)
            let lengths = name.isHostile ? Self.hostileLengths : Self.lengths
            let length = name.isInstant ? 0 : min(room, Int.random(in: lengths, using: &random))
            planned.append(
                PlannedFault(
                    number: planned.count + 1, name: name, target: target,
                    replica: Int.random(in: 0..<16, using: &random), begin: .milliseconds(moment),
                    length: .milliseconds(length)))
            let gap = Int.random(in: Self.gaps, using: &random)
            let overlaps = Int.random(in: 0..<4, using: &random) == 0
            if overlaps, !overlapped, length > 200 {
                overlapped = true
                moment += length / 2
            } else {
                // Behind an overlap the next waits for both.
                moment = Int(planned.suffix(2).map(\.end).max()?.milliseconds ?? 0) + gap
                overlapped = false
            }
        }
        self.faults = planned
    }
}

extension Duration {
    /// Whole milliseconds.
    package var milliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}

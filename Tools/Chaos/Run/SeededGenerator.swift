/// A seeded generator (SplitMix64, as the broker's), so that a run can be repeated from its seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Equal seeds and streams give equal numbers.
    /// - Parameter stream: Separates generators of one run, such as those of its workers.
    package init(seed: UInt64, stream: UInt64 = 0) {
        state = seed &+ stream &* 0xD6E8_FEB8_6659_FD93
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

import Foundation

/// A seeded generator of random numbers, so that a random test can be repeated exactly.
///
/// ```swift
/// var random = SplitMix64.seeded()      // prints the seed; STOREBUS_SEED=… repeats it
/// ```
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator. Equal seeds give equal numbers.
    public init(seed: UInt64) { state = seed }

    /// The next of 2⁶⁴ numbers, in the order the seed gives.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SplitMix64 {
    /// A generator seeded by `STOREBUS_SEED`, or randomly. The seed is printed, because a failure without its seed
    /// cannot be repeated.
    public static func seeded(_ purpose: String = #function) -> SplitMix64 {
        let seed =
            ProcessInfo.processInfo.environment["STOREBUS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0 ... .max)
        print("\(purpose): STOREBUS_SEED=\(seed)")
        return SplitMix64(seed: seed)
    }
}

/// A hash that is the same in every process. Its choices survive a restart of the broker.
enum StableHash {
    /// Hashes bytes with FNV-1a, 64 bits.
    static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Combines two hashes so that every bit of both counts (the finalizer of SplitMix64).
    static func mix(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var value = first ^ (second &* 0x9E37_79B9_7F4A_7C15)
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// A small seeded generator (SplitMix64), so that a run can be repeated from its seed.
struct BrokerGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return StableHash.mix(state, 0)
    }
}

import Foundation

extension SplitMix64 {
    /// A generator seeded by `STOREBUS_SEED`, or randomly; the seed is printed, because a failure without its seed
    /// cannot be repeated.
    public static func seeded(_ purpose: String = #function) -> SplitMix64 {
        let seed =
            ProcessInfo.processInfo.environment["STOREBUS_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0 ... .max)
        print("\(purpose): STOREBUS_SEED=\(seed)")
        return SplitMix64(seed: seed)
    }
}

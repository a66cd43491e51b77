import StoreModels

/// Opaque identifiers of clients that sort by age. So new rows go to the end of the index.
package enum SortableIdentifier {
    /// `prefix` and 26 characters: 48 bits of milliseconds, then 80 random ones, as in `t_01k9p3s2rg…`.
    /// - Parameter wall: The wall clock; what a tester does to an app's clock must not change the order.
    package static func make(
        _ prefix: String, wall: Timestamp, random: inout some RandomNumberGenerator
    ) -> String {
        let time = UInt64(clamping: wall.milliseconds) & 0xFFFF_FFFF_FFFF
        return prefix + CrockfordBase32.digits(time, count: 10) + CrockfordBase32.digits(random.next(), count: 8)
            + CrockfordBase32.digits(random.next(), count: 8)
    }
}

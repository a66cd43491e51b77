/// How long to wait before a service that ended is started again: 100 ms, doubled each time up to 5 s, and back to
/// 100 ms once it has lived for 10 s.
package struct BackOff: Hashable, Sendable {
    package static let delayMin = Duration.milliseconds(100)
    package static let delayMax = Duration.seconds(5)
    /// A service that lived this long did not die of what ended the one before.
    package static let resetAfter = Duration.seconds(10)

    private var following = Self.delayMin

    package init() {}

    /// The delay after a life of `lived`.
    package mutating func next(lived: Duration) -> Duration {
        if lived >= Self.resetAfter { following = Self.delayMin }
        defer { following = min(following * 2, Self.delayMax) }
        return following
    }
}

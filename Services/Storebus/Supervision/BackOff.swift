/// How long to wait before a service that ended is started again: 100 ms, doubled each time up to 5 s, and back to
/// 100 ms once it has lived for 10 s.
struct BackOff: Hashable, Sendable {
    static let delayMin = Duration.milliseconds(100)
    static let delayMax = Duration.seconds(5)
    /// A service that lived this long did not die of what ended the one before.
    static let resetAfter = Duration.seconds(10)

    private var following = Self.delayMin

    init() {}

    /// The delay after a life of `lived`.
    mutating func next(lived: Duration) -> Duration {
        if lived >= Self.resetAfter { following = Self.delayMin }
        defer { following = min(following * 2, Self.delayMax) }
        return following
    }
}

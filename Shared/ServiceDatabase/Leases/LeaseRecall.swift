import StoreModels

/// The wait for the end of leases from before a change. Pure: time is passed in (ADR 0072).
struct LeaseRecall: Sendable {
    /// The instant at which no holder's lease from before the change is valid any more.
    let end: ContinuousClock.Instant
    /// The holders that have not acknowledged.
    private(set) var silent: [LeaseHolder]

    /// - Parameters:
    ///   - holders: Those that were registered after the change was in force.
    ///   - now: An instant after the change was in force, on the owner's monotonic clock.
    init(of holders: [LeaseHolder], changedBefore now: ContinuousClock.Instant) {
        end = now + VersionLease.waitMax
        silent = holders
    }

    /// Notes that a holder has ended its leases.
    mutating func acknowledge(_ name: String) { silent.removeAll { $0.name == name } }

    /// Whether the operator may be answered.
    func isOver(at now: ContinuousClock.Instant) -> Bool { silent.isEmpty || now >= end }
}

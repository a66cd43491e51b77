import StoreModels

/// The leases that a reader holds of one owner, by key. Pure: time is passed in (ADR 0072).
///
/// A version may be used from the arrival of its grant until ``VersionLease/term`` after its request was sent. A recall
/// ends it earlier, and refuses grants to requests that were sent before the recall.
struct HeldLeases<Version: Hashable & Sendable>: Sendable {
    /// Maximum number of leases, and of keys with recalls. At the bound all leases end and are requested again.
    static var leasesMax: Int { 10_000 }
    /// The age at which a lease in use is renewed, before requests have to wait for it.
    static var renewalAge: Duration { VersionLease.term / 2 }

    /// The start of a request for a lease, taken before the request is sent.
    struct Ticket: Sendable {
        fileprivate let sentAt: ContinuousClock.Instant
        fileprivate let recalls: (ofAll: Int, ofKey: Int)
    }

    private struct Lease: Sendable {
        let version: Version
        let sentAt: ContinuousClock.Instant
        var isRenewing = false
    }

    /// Whether recalls arrive. Until then the reader requests no leases, because an owner would wait for their end.
    private(set) var hearsRecalls = false
    private var leases: [ExactText: Lease] = [:]
    /// The number of recalls of all keys.
    private var recallCount = 0
    /// The number of recalls of single keys since the last of all.
    private var recallCounts: [ExactText: Int] = [:]

    /// Begins a request.
    /// - Returns: Nil when the request is to be for the version alone.
    func ticket(of key: ExactText, at now: ContinuousClock.Instant) -> Ticket? {
        hearsRecalls ? Ticket(sentAt: now, recalls: recalls(of: key)) : nil
    }

    /// Returns numbers that change with each recall of the key's lease.
    private func recalls(of key: ExactText) -> (ofAll: Int, ofKey: Int) { (recallCount, recallCounts[key] ?? 0) }

    /// Takes a granted lease. The lease of a later request stays.
    mutating func take(_ version: Version, for key: ExactText, _ ticket: Ticket) {
        guard hearsRecalls, ticket.recalls == recalls(of: key) else { return }
        if let held = leases[key], held.sentAt > ticket.sentAt { return }
        if leases[key] == nil, leases.count == Self.leasesMax { leases.removeAll() }
        leases[key] = Lease(version: version, sentAt: ticket.sentAt)
    }

    /// Returns the version that may be used at an instant. With `renews` the caller renews the lease meanwhile.
    mutating func version(of key: ExactText, at now: ContinuousClock.Instant) -> (version: Version, renews: Bool)? {
        guard let lease = leases[key] else { return nil }
        let age = now - lease.sentAt
        guard age < VersionLease.term else {
            leases[key] = nil
            return nil
        }
        guard age >= Self.renewalAge, !lease.isRenewing else { return (lease.version, false) }
        leases[key]?.isRenewing = true
        return (lease.version, true)
    }

    /// Ends a renewal, with a new lease or without. Without one the next use begins another renewal.
    mutating func endRenewal(of key: ExactText) { leases[key]?.isRenewing = false }

    /// Ends a key's lease.
    /// - Parameter key: Nil ends all leases.
    mutating func recall(_ key: ExactText?) {
        if let key, recallCounts[key] != nil || recallCounts.count < Self.leasesMax {
            recallCounts[key, default: 0] += 1
            leases[key] = nil
        } else {
            recallCount += 1
            recallCounts.removeAll()
            leases.removeAll()
        }
    }

    /// Begins or ends leases as recalls begin or cease to arrive.
    mutating func setHearsRecalls(_ hears: Bool) {
        hearsRecalls = hears
        recall(nil)
    }
}

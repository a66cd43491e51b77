import StoreModels

/// Which ends of restores and which revocations a stream has written, and which of those PaymentQueue has to be told of:
/// what is not acknowledged comes again with the next snapshot, so it must not be acknowledged before it was written,
/// and nothing is lost when the acknowledgement is.
///
/// Each notice goes from queued to being written to written; then it is due, and due again with each ``retry()``, until
/// it was acknowledged.
struct Acknowledgements {
    /// Something an observer is told that PaymentQueue keeps until it was.
    enum Notice: Hashable, Sendable {
        /// By `restoreIdentifier`.
        case restoreEnd(String)
        /// By its place in the customer's journal.
        case revocation(Int64)
    }

    /// Notices that wait for their acknowledgement; more are left to the next snapshot.
    static let writtenMax = 256

    private var queued: [Notice] = []
    private var inWrite: [Notice] = []
    private var written: [Notice] = []
    private var mayTake = false

    var areDue: Bool { mayTake && !written.isEmpty }

    mutating func queue(_ notice: Notice) { queued.append(notice) }

    /// Everything queued is being written.
    mutating func areInWrite() {
        inWrite = queued
        queued = []
    }

    /// What was being written, the connection has taken.
    mutating func wereWritten() {
        written = Array((written + inWrite).prefix(Self.writtenMax))
        inWrite = []
        mayTake = true
    }

    /// - Returns: What is due; nil when nothing is, or it has been taken and not been retried since.
    mutating func take() -> [Notice]? {
        guard areDue else { return nil }
        mayTake = false
        return written
    }

    /// A second has passed: what could not be acknowledged is due again.
    mutating func retry() { mayTake = true }

    mutating func wereAcknowledged(_ notices: [Notice]) { written.removeAll { notices.contains($0) } }
}

extension DeliveryMachine.Event {
    /// What PaymentQueue wants to hear of once this was written; nil for what it keeps no account of.
    var notice: Acknowledgements.Notice? {
        switch self {
        case .restoreEnded(_, let restore): .restoreEnd(restore.restoreIdentifier)
        case .entitlementsRevoked(_, let revocation): .revocation(revocation.seq)
        case .updated, .removed, .downloadsUpdated, .synchronized, .storefrontChanged: nil
        }
    }
}

import StoreModels

/// Which ends of restores and which revocations a stream has handed to its connection. PaymentQueue keeps each until it
/// is acknowledged, and brings it with the first page of every stream until then.
///
/// Each notice goes from queued to being written to written. Only when the reader has closed the stream in good order is
/// it known that what was written was read (``StreamConnection``).
struct Acknowledgements {
    /// Something an observer is told that PaymentQueue keeps until it was.
    enum Notice: Hashable, Sendable {
        /// By `restoreIdentifier`.
        case restoreEnd(String)
        /// By its place in the customer's journal.
        case revocation(Int64)
    }

    /// Notices that wait for the stream's end; more come again with the next stream.
    static let writtenMax = 256

    private var queued: [Notice] = []
    private var inWrite: [Notice] = []
    private(set) var written: [Notice] = []

    /// Whether the write under way has a notice in it.
    var isWriting: Bool { !inWrite.isEmpty }

    mutating func queue(_ notice: Notice) { queued.append(notice) }

    /// Everything queued is being written.
    mutating func areInWrite() {
        inWrite = queued
        queued = []
    }

    /// What was being written has gone to the connection.
    /// - Parameter isRead: Whether the reader was still there then.
    mutating func wereWritten(isRead: Bool) {
        if isRead { written = Array((written + inWrite).prefix(Self.writtenMax)) }
        inWrite = []
    }
}

extension DeliveryMachine.Event {
    /// What PaymentQueue wants to hear of once this was read; nil for what it keeps no account of.
    var notice: Acknowledgements.Notice? {
        switch self {
        case .restoreEnded(_, let restore): .restoreEnd(restore.restoreIdentifier)
        case .entitlementsRevoked(_, let revocation): .revocation(revocation.seq)
        case .updated, .removed, .downloadsUpdated, .priceConsentPending, .synchronized, .storefrontChanged: nil
        }
    }
}

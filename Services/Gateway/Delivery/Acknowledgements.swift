import StoreModels

/// Tracks the notices that a stream has written: ends of restores and revocations. PaymentQueue keeps each notice until
/// it is acknowledged, and sends it with the first page of every stream until then.
///
/// Each notice moves from queued to being written to written. Only when the reader has closed the stream in good order
/// is it certain that the written notices were read (``StreamConnection``).
struct Acknowledgements {
    /// A notice for the observer that PaymentQueue keeps until it is acknowledged.
    enum Notice: Hashable, Sendable {
        /// The end of a restore, by `restoreIdentifier`.
        case restoreEnd(String)
        /// A revocation, by its `seq` in the customer's journal.
        case revocation(Int64)
    }

    /// Maximum number of notices kept until the stream ends. The rest are sent again with the next stream.
    static let writtenMax = 256

    private var queued: [Notice] = []
    private var inWrite: [Notice] = []
    private(set) var written: [Notice] = []

    /// Whether the write in progress contains a notice.
    var isWriting: Bool { !inWrite.isEmpty }

    mutating func queue(_ notice: Notice) { queued.append(notice) }

    /// Moves everything queued to the write in progress.
    mutating func areInWrite() {
        inWrite = queued
        queued = []
    }

    /// Records that the connection has taken the write in progress.
    /// - Parameter isRead: Whether the reader was still connected then.
    mutating func wereWritten(isRead: Bool) {
        if isRead { written = Array((written + inWrite).prefix(Self.writtenMax)) }
        inWrite = []
    }
}

extension DeliveryMachine.Event {
    /// The notice to acknowledge once the reader has the event. Nil for events that PaymentQueue does not keep.
    var notice: Acknowledgements.Notice? {
        switch self {
        case .restoreEnded(_, let restore): .restoreEnd(restore.restoreIdentifier)
        case .entitlementsRevoked(_, let revocation): .revocation(revocation.seq)
        case .updated, .removed, .downloadsUpdated, .priceConsentPending, .synchronized, .storefrontChanged: nil
        }
    }
}

/// Which ends of restores a stream has written, and which of those PaymentQueue has to be told of: an end that is not
/// acknowledged comes again with the next snapshot, so it must not be acknowledged before it was written, and nothing is
/// lost when the acknowledgement is.
///
/// Each end goes from queued to being written to written; then it is due, and due again with each ``retry()``, until it
/// was acknowledged.
struct RestoreAcknowledgements {
    /// Ends that wait for their acknowledgement; more are left to the next snapshot.
    static let writtenMax = 256

    private var queued: [String] = []
    private var inWrite: [String] = []
    private var written: [String] = []
    private var mayTake = false

    var areDue: Bool { mayTake && !written.isEmpty }

    mutating func queue(_ restoreIdentifier: String) { queued.append(restoreIdentifier) }

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
    mutating func take() -> [String]? {
        guard areDue else { return nil }
        mayTake = false
        return written
    }

    /// A second has passed: what could not be acknowledged is due again.
    mutating func retry() { mayTake = true }

    mutating func wereAcknowledged(_ restores: [String]) { written.removeAll { restores.contains($0) } }
}

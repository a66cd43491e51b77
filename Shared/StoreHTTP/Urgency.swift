/// The order in which an overloaded gateway refuses requests: those of the first case first.
package enum Urgency: String, CaseIterable, Sendable {
    /// Reads, and everything without another urgency.
    case query
    /// Leads to a charge.
    case purchase
    /// Completes a purchase that is paid for: finish and restore.
    case completion
    /// Is never refused for overload: streams, waits and downloads, which have limits of their own, and monitoring.
    case unlimited
}

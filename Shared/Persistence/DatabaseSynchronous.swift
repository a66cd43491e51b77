/// What an acknowledged commit survives, `database.synchronous`.
///
/// Everything but `full` is for measuring what durability costs, and for the check that it can be lost at all.
package enum DatabaseSynchronous: String, CaseIterable, Sendable {
    /// The loss of power: it is on the disk. The only setting of a store that sells.
    case full
    /// The end of the process. PostgreSQL makes no difference to `off`.
    case normal
    /// The end of the process; and the engine may leave the file in disorder when the power fails.
    case off
}

/// The failures that an acknowledged commit survives, `database.synchronous`.
///
/// Everything but `full` is for measuring what durability costs, and for the check that it can be lost at all.
package enum DatabaseSynchronous: String, CaseIterable, Sendable {
    /// The loss of power: the commit is on the disk. The only setting of a store that sells.
    case full
    /// The end of the process. PostgreSQL treats it as `off`.
    case normal
    /// The end of the process. SQLite may leave the file in disorder when the power fails.
    case off

    /// The warning about a weaker setting, for the start and the health; nil for `full`.
    package var weakness: String? {
        self == .full ? nil : "synchronous is \(rawValue): acknowledged commits are lost when the power fails"
    }
}

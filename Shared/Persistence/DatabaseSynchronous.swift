/// What an acknowledged commit survives, `database.synchronous`.
///
/// Everything but `full` is for measuring what durability costs, and for the check that it can be lost at all.
package enum DatabaseSynchronous: String, CaseIterable, Sendable {
    /// The loss of power: it is on the disk. The only setting of a store that sells.
    case full
    /// The end of the process. PostgreSQL makes no difference to `off`.
    case normal
    /// The end of the process; and SQLite may leave the file in disorder when the power fails.
    case off

    /// What has to be said of a database that is set so, at its start and in its health; nil for `full`.
    package var weakness: String? {
        self == .full ? nil : "synchronous is \(rawValue): acknowledged commits are lost when the power fails"
    }
}

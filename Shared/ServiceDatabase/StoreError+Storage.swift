import Persistence
import StoreModels

extension StoreError {
    /// What a caller is told when the database threw.
    ///
    /// A full disk, a long queue or a server that is away wrote nothing: `serviceUnavailable`. After a flush that failed, or
    /// a connection lost during a commit, nobody knows what is stored, and the same request again finds out:
    /// `outcomeUnknown`. The rest is a fault of ours, `internal`, told in the log and not to the caller.
    /// - Parameter owner: whose database it is, in a sentence: "the payment queue".
    package init(storage error: PersistenceError, of owner: String) {
        switch error.code {
        case .storageFull: self.init(.serviceUnavailable, "\(owner)'s disk is full; nothing was written")
        case .unavailable: self.init(.serviceUnavailable, "\(owner)'s database is away", retryAfterMs: 200)
        case .busy, .overloaded, .closed, .conflict:
            self.init(.serviceUnavailable, "\(owner)'s database is busy", retryAfterMs: 200)
        case .storageFailed, .outcomeUnknown:
            self.init(.outcomeUnknown, "\(owner)'s database was lost during a commit")
        default: self.init(.internal, "\(owner)'s database refused a statement")
        }
    }
}

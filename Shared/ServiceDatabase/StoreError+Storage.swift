import Persistence
import StoreModels

extension StoreError {
    /// The error a caller receives when the database threw.
    ///
    /// A full disk, a long queue or a server that is away wrote nothing: `serviceUnavailable`. After a flush that
    /// failed, or a connection lost during a commit, it is unknown what is stored, and repeating the same request finds
    /// out: `outcomeUnknown`. Every other error is a Storebus fault, `internal`; its details go to the log, not to the
    /// caller.
    /// - Parameter owner: The owner of the database, in a sentence: "the payment queue".
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

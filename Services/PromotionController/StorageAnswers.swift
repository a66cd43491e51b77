import Persistence
import StoreModels

/// Turns what the database throws into what a caller can act on; other errors pass.
func answering<Output>(_ body: () async throws -> Output) async throws -> Output {
    do {
        return try await body()
    } catch let error as PersistenceError {
        throw StoreError(storage: error)
    }
}

extension StoreError {
    /// A full disk, a long queue or a server that is away wrote nothing. After a flush that failed, or a connection lost
    /// during a commit, nobody knows what is stored: asking again finds out. The rest is a fault of ours, told in the
    /// log and not to the caller.
    init(storage error: PersistenceError) {
        switch error.code {
        case .storageFull:
            self.init(.serviceUnavailable, "the promotion controller's disk is full; nothing was written")
        case .busy, .overloaded, .closed, .unavailable, .conflict:
            self.init(.serviceUnavailable, "the promotion controller's database is busy", retryAfterMs: 200)
        case .storageFailed, .outcomeUnknown:
            self.init(.outcomeUnknown, "the promotion controller's database was lost during a commit")
        default: self.init(.internal, "the promotion controller's database refused a statement")
        }
    }
}

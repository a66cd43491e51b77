import Logging
import Persistence
import StoreModels

extension StoreError {
    /// Translates an error of the database for the service's caller.
    ///
    /// A full disk, a long queue, a closed database or a server that is away wrote nothing: `serviceUnavailable`. After
    /// a failed flush, or a connection lost during a commit, the outcome is unknown until the caller repeats the
    /// request: `outcomeUnknown`. Everything else is a bug, `internal`, and its cause is only logged.
    /// - Parameter owner: The owner of the database, in a sentence: "the payment queue".
    init(storage error: PersistenceError, of owner: String) {
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

/// Runs `body`, and throws the database's errors as ``StoreModels/StoreError``.
///
/// Other errors pass as they are. The cause, which callers do not receive, is logged.
/// - Parameters:
///   - owner: The owner of the database, in a sentence: "the payment queue".
///   - logger: Evaluated only after a failure.
package func withStoreErrors<Output>(
    of owner: String, logger: @autoclosure () -> Logger, _ body: () async throws -> Output
) async throws -> Output {
    do {
        return try await body()
    } catch let error as PersistenceError {
        // The database itself logs the moment it becomes unreachable or full.
        logger().log(level: error.isRetryable ? .debug : .error, "the database failed", metadata: ["error": "\(error)"])
        throw StoreError(storage: error, of: owner)
    }
}

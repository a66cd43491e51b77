/// A command that a connection has sent and the server has not answered.
struct PostgresCommand {
    enum Kind {
        /// The recipient gets the rows. Without one only a failure is noted.
        case statement(PostgresStatement)
        /// As a statement. If the connection is lost meanwhile, the outcome is unknown.
        case commit(PostgresStatement)
        /// Makes a statement known to the server.
        case prepare(PostgresStatement)
        /// A script of several statements, before the pipeline begins.
        case script
        /// The end of a segment: after a failure the server skips everything up to here.
        case sync
    }

    typealias Waiter = UnsafeContinuation<Result<SQLResult, PersistenceError>, Never>

    /// The recipient of a command's result.
    enum Recipient {
        /// A task that waits for it now.
        case waiter(Waiter)
        /// A query whose rows are asked for later.
        case query(PostgresQuery)

        func take(_ result: Result<SQLResult, PersistenceError>) {
            switch self {
            case .waiter(let waiter): waiter.resume(returning: result)
            case .query(let query): query.take(result)
            }
        }
    }

    let kind: Kind
    let sql: String
    var rowsMax = Int.max
    var request: PostgresRequestState?
    var recipient: Recipient?
    /// The result so far.
    var outcome: Result<SQLResult, PersistenceError>?

    init(
        _ kind: Kind, _ sql: String, rowsMax: Int = .max, request: PostgresRequestState? = nil,
        recipient: Recipient? = nil
    ) {
        self.kind = kind
        self.sql = sql
        self.rowsMax = rowsMax
        self.request = request
        self.recipient = recipient
    }

    var isCommit: Bool { if case .commit = kind { true } else { false } }
}

/// A query that was sent, and whose rows are asked for later.
///
/// `@unchecked Sendable`: it travels with the command, and is touched on the connection's loop only.
final class PostgresQuery: @unchecked Sendable {
    private var result: Result<SQLResult, PersistenceError>?
    private var waiter: PostgresCommand.Waiter?

    /// Hands the result to the waiter, or keeps it for one.
    func take(_ result: Result<SQLResult, PersistenceError>) {
        if let waiter {
            self.waiter = nil
            waiter.resume(returning: result)
        } else {
            self.result = result
        }
    }

    /// Resumes `waiter` with the result, now or when it comes. A query has one waiter.
    /// - Returns: Whether the result is still to come.
    func deliver(to waiter: PostgresCommand.Waiter) -> Bool {
        if let result {
            waiter.resume(returning: result)
            return false
        }
        self.waiter = waiter
        return true
    }
}

/// A command that a connection has sent and the server has not answered.
struct PostgresCommand {
    enum Kind {
        /// The waiter gets the rows; without a waiter only a failure is noted.
        case statement(PostgresStatement)
        /// As a statement; when the connection is lost meanwhile, the outcome is unknown.
        case commit(PostgresStatement)
        /// Makes a statement known to the server.
        case prepare(PostgresStatement)
        /// A script of several statements, before the pipeline begins.
        case script
        /// The end of a segment: after a failure the server skips everything up to here.
        case sync
    }

    typealias Waiter = UnsafeContinuation<Result<SQLResult, PersistenceError>, Never>

    let kind: Kind
    let sql: String
    var rowsMax = Int.max
    var request: PostgresRequestState?
    var waiter: Waiter?
    /// What has come so far.
    var outcome: Result<SQLResult, PersistenceError>?

    init(
        _ kind: Kind, _ sql: String, rowsMax: Int = .max, request: PostgresRequestState? = nil, waiter: Waiter? = nil
    ) {
        self.kind = kind
        self.sql = sql
        self.rowsMax = rowsMax
        self.request = request
        self.waiter = waiter
    }

    var isCommit: Bool { if case .commit = kind { true } else { false } }
}

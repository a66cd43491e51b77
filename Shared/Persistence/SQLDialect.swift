/// The fragments of SQL in which the engines differ. Everything else is written once and runs on both.
package enum SQLDialect: Hashable, Sendable {
    case sqlite
    case postgres

    /// The end of a SELECT that locks its rows until the transaction ends. SQLite has one writer at a time, which is
    /// lock enough.
    package var lockRow: String { self == .postgres ? "FOR UPDATE" : "" }

    /// As ``lockRow``, but leaves out locked rows instead of waiting for them.
    package var skipLocked: String { self == .postgres ? "FOR UPDATE SKIP LOCKED" : "" }

    /// PostgreSQL's number of the oldest transaction under way, as `xact` has it.
    package var oldestTransaction: String {
        "(\(LogNumbers.origin) + pg_snapshot_xmin(pg_current_snapshot())::text::bigint)"
    }

    /// PostgreSQL's number of the first transaction that has not begun, as `xact` will have it.
    package var nextTransaction: String {
        "(\(LogNumbers.origin) + pg_snapshot_xmax(pg_current_snapshot())::text::bigint)"
    }

    /// The engine's clock in milliseconds since 1970.
    package var now: String {
        switch self {
        case .sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        case .postgres: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        }
    }
    /// The condition that a term is over, by the engine's clock. Its ? is twice the length of the term, in milliseconds.
    ///
    /// A term that ends so much later began before the clock was set back. It is over too, so that no work waits until
    /// the clock has caught up.
    /// - Parameter end: The column with the term's end.
    package func isOver(_ end: String) -> String { "(\(end) <= \(now) OR \(end) > \(now) + ?)" }
}

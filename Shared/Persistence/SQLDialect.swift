/// The fragments of SQL in which the engines differ. Everything else is written once and runs on both.
package enum SQLDialect: Hashable, Sendable {
    case sqlite
    case postgres

    /// The end of a SELECT that locks its rows until the transaction ends. SQLite has one writer at a time, which is
    /// lock enough.
    package var lockRow: String { self == .postgres ? "FOR UPDATE" : "" }

    /// As ``lockRow``, but leaves out locked rows instead of waiting for them.
    package var skipLocked: String { self == .postgres ? "FOR UPDATE SKIP LOCKED" : "" }

    /// The engine's clock in milliseconds since 1970.
    package var now: String {
        switch self {
        case .sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
        case .postgres: "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        }
    }
}

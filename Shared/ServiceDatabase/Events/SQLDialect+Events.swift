import Persistence

/// Fragments of statements that read an ``EventTable``.
extension SQLDialect {
    /// A row's place, to be compared with ``eventParameter``.
    package var eventPosition: String { self == .postgres ? "(xact, position)" : "position" }
    /// The parameter for a place, whose values are ``arguments(_:)``.
    package var eventParameter: String { self == .postgres ? "(?, ?)" : "?" }
    /// The columns for ORDER BY, the oldest first.
    package var eventOrder: String { self == .postgres ? "xact, position" : "position" }
    /// The columns for ORDER BY, the newest first.
    package var eventOrderBackwards: String { self == .postgres ? "xact DESC, position DESC" : "position DESC" }
    /// The end of a condition, for rows that no other row can come in before.
    package var eventIsSettled: String { self == .postgres ? " AND xact < \(oldestTransaction)" : "" }

    /// The arguments of one ``eventParameter``.
    package func arguments(_ position: EventPosition) -> [any SQLValueConvertible] {
        self == .postgres ? [position.transaction, position.row] : [position.row]
    }

    /// The number of the oldest transaction under way.
    var oldestTransaction: String { "pg_snapshot_xmin(pg_current_snapshot())::text::bigint" }
}

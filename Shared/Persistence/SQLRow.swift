/// One row of a result: a copy that stays valid.
///
/// ```swift
/// let title: String = try row["title"]
/// let finishedAt: Int64? = try row["finished_at"]      // NULL is nil only where nil is asked for
/// ```
package struct SQLRow: Hashable, Sendable {
    private let named: SQLColumns
    /// In the order of the statement's columns.
    package let values: [SQLValue]

    /// Creates a row, as tests do. Both lists have the same length.
    package init(columns: [String], values: [SQLValue]) { self.init(SQLColumns(columns), values) }

    init(_ columns: SQLColumns, _ values: [SQLValue]) {
        named = columns
        self.values = values
    }

    /// Names or aliases, in the statement's order.
    package var columns: [String] { named.names }

    /// The value of a column by its name or alias.
    /// - Throws: `columnMissing` when the statement has no such column, `columnType` when it holds something else.
    package subscript<Value: SQLValueConvertible>(column: String) -> Value {
        get throws(PersistenceError) {
            guard let index = named.index(of: column) else {
                throw PersistenceError(
                    .columnMissing, "no column '\(column)' in the result (\(columns.joined(separator: ", ")))")
            }
            guard let value = Value(sqlValue: values[index]) else {
                throw PersistenceError(.columnType, "column '\(column)' holds \(values[index].kind), not \(Value.self)")
            }
            return value
        }
    }

    package static func == (left: SQLRow, right: SQLRow) -> Bool {
        left.values == right.values && (left.named === right.named || left.columns == right.columns)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// The names of a statement's columns, shared by all rows of all its results.
final class SQLColumns: Sendable {
    let names: [String]
    private let indexes: [String: Int]

    init(_ names: [String]) {
        self.names = names
        // Of two columns with one name the first counts.
        indexes = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of name: String) -> Int? { indexes[name] }
}

extension [SQLRow] {
    /// The values of one column.
    /// - Throws: As reading each of them.
    package func values<Value: SQLValueConvertible>(of column: String) throws(PersistenceError) -> [Value] {
        var values: [Value] = []
        for row in self { values.append(try row[column]) }
        return values
    }
}

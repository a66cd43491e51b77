internal import Foundation
internal import GRDB

/// Runs SELECT statements inside one snapshot. Handed to the body of ``SQLiteDatabase/read(_:)`` and, as
/// ``SQLTransaction``, of ``SQLiteDatabase/write(_:)``; of no use outside of it, and not `Sendable`, so the compiler
/// keeps it inside.
package class SQLReader {
    let database: Database
    let path: String

    init(_ database: Database, path: String) {
        self.database = database
        self.path = path
    }

    /// All rows of a statement with `?` parameters. The caller bounds them with LIMIT.
    ///
    /// ```swift
    /// let rows = try reader.query("SELECT id, state FROM payment WHERE app = ? LIMIT 100", bundleId)
    /// ```
    /// - Throws: ``PersistenceError`` by what the engine answered.
    package final func query(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) throws(PersistenceError) -> [SQLRow] {
        try rows(sql, arguments)
    }

    /// As ``query(_:_:)``, with parameters put together at run time.
    package final func query(
        _ sql: String, arguments: [any SQLValueConvertible]
    ) throws(PersistenceError) -> [SQLRow] {
        try rows(sql, arguments)
    }

    /// The first row, nil when there is none.
    package final func queryOne(
        _ sql: String, _ arguments: any SQLValueConvertible...
    ) throws(PersistenceError) -> SQLRow? {
        try rows(sql, arguments, limit: 1).first
    }

    private func rows(
        _ sql: String, _ arguments: [any SQLValueConvertible], limit: Int = .max
    ) throws(PersistenceError) -> [SQLRow] {
        do {
            let statement = try database.cachedStatement(sql: sql)
            let columns = statement.columnNames
            let cursor = try Row.fetchCursor(statement, arguments: Self.bindings(arguments))
            var rows: [SQLRow] = []
            while rows.count < limit, let row = try cursor.next() {
                rows.append(SQLRow(columns: columns, values: row.databaseValues.map(SQLValue.init)))
            }
            return rows
        } catch {
            throw PersistenceError(error, path: path)
        }
    }

    static func bindings(_ arguments: [any SQLValueConvertible]) -> StatementArguments {
        StatementArguments(arguments.map { DatabaseValue($0.sqlValue) })
    }
}

extension SQLValue {
    init(_ value: DatabaseValue) {
        switch value.storage {
        case .null: self = .null
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .string(let value): self = .text(value)
        case .blob(let value): self = .blob(Array(value))
        }
    }
}

extension DatabaseValue {
    init(_ value: SQLValue) {
        switch value {
        case .null: self = .null
        case .integer(let value): self = value.databaseValue
        case .real(let value): self = value.databaseValue
        case .text(let value): self = value.databaseValue
        case .blob(let value): self = Data(value).databaseValue
        }
    }
}

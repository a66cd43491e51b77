/// A statement about many items: one statement on PostgreSQL, a statement an item on SQLite.
///
/// ```swift
/// static let rows = SQLBatchStatement.insert(into: "capture", ["transaction_id": .text, "written_at": .integer])
///
/// var batch = SQLBatch(rows)
/// batch.append("t_1", wall.milliseconds)
/// try await transaction.send(batch)
/// ```
/// PostgreSQL gets an array a column, so one prepared text does for any number of items. SQLite has no round trips, and
/// prepared statements of one item cost less there than longer ones.
///
/// Two statements are the same only if they are one value: make each of them once, as a static constant.
package final class SQLBatchStatement: Sendable {
    /// The type of an item's value.
    package enum Value: String, Sendable {
        case text = "text"
        /// Whole numbers, and booleans as 0 and 1.
        case integer = "bigint"
    }

    /// The lock of a SELECT's rows.
    package enum RowLock: Sendable {
        /// Waits for the rows that another transaction has locked.
        case waiting
        /// Leaves them out.
        case skipping
    }

    /// The statement about one item.
    let one: String
    /// The statement about one item on PostgreSQL.
    let onePostgres: String
    /// The statement about all items, with an array a value.
    let many: String
    let types: [Value]
    /// The index of the value that tells the rows of an UPDATE or DELETE apart. Nil for all other statements.
    package let rowIndex: Int?
    /// Whether a SELECT locks its rows, and may wait for another transaction's lock.
    package let isLocked: Bool

    private init(
        one: String, onePostgres: String? = nil, many: String, types: [Value], rowIndex: Int? = nil,
        isLocked: Bool = false
    ) {
        precondition(one.count { $0 == "?" } == types.count, "a ? for each value: \(one)")
        self.one = one
        self.onePostgres = onePostgres ?? one
        self.many = many
        self.types = types
        self.rowIndex = rowIndex
        self.isLocked = isLocked
    }

    /// Makes a SELECT that is run for each item. Its `?` are the item's values.
    ///
    /// A number of the item among the selected columns is `CAST(? AS BIGINT)`, because a bare parameter is text on
    /// PostgreSQL. PostgreSQL looks each item up by itself (LATERAL, kept apart by OFFSET), as it does for one item.
    /// - Parameter lock: The lock of the rows until the commit, or nil. SQLite's only writer needs no locks.
    package static func query(_ sql: String, lock: RowLock? = nil, _ types: Value...) -> SQLBatchStatement {
        let locking =
            switch lock {
            case .waiting: "\(sql) \(SQLDialect.postgres.lockRow)"
            case .skipping: "\(sql) \(SQLDialect.postgres.skipLocked)"
            case nil: sql
            }
        return SQLBatchStatement(
            one: sql, onePostgres: locking,
            many: """
                SELECT found.*, item.n AS item_number FROM \(list(types, isNumbered: true))
                CROSS JOIN LATERAL (\(naming(locking)) OFFSET 0) AS found
                """,
            types: types, isLocked: lock == .waiting)
    }

    /// Makes an INSERT of a row an item.
    /// - Parameter conflicts: `ON CONFLICT DO NOTHING`, if a row may exist already.
    package static func insert(
        into table: String, _ columns: KeyValuePairs<String, Value>, _ conflicts: String = ""
    ) -> SQLBatchStatement {
        let types = columns.map(\.value)
        let into = "INSERT INTO \(table) (\(columns.map(\.key).joined(separator: ", ")))"
        let parameters = types.map { _ in "?" }.joined(separator: ", ")
        return SQLBatchStatement(
            one: "\(into) VALUES (\(parameters)) \(conflicts)",
            many: "\(into) SELECT * FROM \(list(types)) \(conflicts)", types: types)
    }

    /// Makes an INSERT of the rows that a SELECT finds for each item.
    /// - Parameters:
    ///   - table: The table with its columns: `notification_payload (position, draft)`
    ///   - query: Its `?` are the item's values, as in ``query(_:lock:_:)``. It ends with a WHERE, for SQLite's
    ///     parser.
    ///   - conflicts: `ON CONFLICT DO NOTHING`, if a row may exist already.
    package static func insert(
        into table: String, selecting query: String, _ conflicts: String = "", _ types: Value...
    ) -> SQLBatchStatement {
        SQLBatchStatement(
            one: "INSERT INTO \(table) \(query) \(conflicts)",
            many: """
                INSERT INTO \(table)
                SELECT found.* FROM \(list(types)) CROSS JOIN LATERAL (\(naming(query)) OFFSET 0) AS found \(conflicts)
                """, types: types)
    }

    /// Makes an UPDATE of a row an item.
    /// - Parameters:
    ///   - assignments: `head_seq = ?, modified_seq = ?`
    ///   - condition: The row's key: `bundle_id = ? AND customer_identifier = ?`. Its first value tells rows apart.
    package static func update(
        _ table: String, set assignments: String, where condition: String, _ types: Value...
    ) -> SQLBatchStatement {
        let all = naming("\(assignments) WHERE \(condition)")
        // The list comes between the two parts, whose parameters are numbered through.
        let parts = all.split(separator: " WHERE ", maxSplits: 1)
        precondition(!assignments.contains(" WHERE "), "assignments of values alone: \(assignments)")
        return SQLBatchStatement(
            one: "UPDATE \(table) SET \(assignments) WHERE \(condition)",
            many: "UPDATE \(table) SET \(parts[0]) FROM \(list(types)) WHERE \(parts[1])", types: types,
            rowIndex: assignments.count { $0 == "?" })
    }

    /// Makes a DELETE of the rows of an item.
    /// - Parameter condition: The rows' key: `transaction_id = ? AND bundle_id = ?`. Its first value tells rows apart.
    package static func delete(from table: String, where condition: String, _ types: Value...) -> SQLBatchStatement {
        SQLBatchStatement(
            one: "DELETE FROM \(table) WHERE \(condition)",
            many: "DELETE FROM \(table) USING \(list(types)) WHERE \(naming(condition))", types: types, rowIndex: 0)
    }

    private static func list(_ types: [Value], isNumbered: Bool = false) -> String {
        let arrays = types.map { "?::\($0.rawValue)[]" }.joined(separator: ", ")
        let names = types.indices.map { "v\($0 + 1)" }.joined(separator: ", ")
        return isNumbered
            ? "unnest(\(arrays)) WITH ORDINALITY AS item (\(names), n)" : "unnest(\(arrays)) AS item (\(names))"
    }

    /// Replaces the parameters by the columns of the list, in their order.
    private static func naming(_ sql: String) -> String {
        var (text, count) = ("", 0)
        for character in sql {
            guard character == "?" else {
                text.append(character)
                continue
            }
            count += 1
            text += "item.v\(count)"
        }
        return text
    }
}

/// The items of a statement, in the order of the statement's values.
package struct SQLBatch: Sendable {
    package let statement: SQLBatchStatement
    private var values: [SQLValue] = []

    /// Begins a batch without items.
    package init(_ statement: SQLBatchStatement) { self.statement = statement }

    /// The number of items.
    package var count: Int { values.count / statement.types.count }
    /// Whether the batch has no item. Then it is no statement.
    package var isEmpty: Bool { values.isEmpty }

    /// Adds an item: one value for each of the statement's.
    package mutating func append(_ item: any SQLValueConvertible...) { append(item.map(\.sqlValue)) }

    /// Adds an item.
    package mutating func append(_ item: [SQLValue]) {
        precondition(item.count == statement.types.count, "a value is missing, or one too many: \(statement.one)")
        values += item
    }

    /// The statements with their arguments, as the engine takes them.
    func statements(_ dialect: SQLDialect) -> [(sql: String, arguments: [SQLValue])] {
        let width = statement.types.count
        switch dialect {
        case .postgres where values.count > width:
            let arrays = statement.types.enumerated().map { column, type in
                PostgresArray.column(column, of: values, width: width, type)
            }
            return [(statement.many, arrays)]
        case .postgres, .sqlite:
            let sql = dialect == .postgres ? statement.onePostgres : statement.one
            return items.map { (sql, Array($0)) }
        }
    }

    /// The values of each item.
    var items: some Sequence<ArraySlice<SQLValue>> {
        let width = statement.types.count
        return stride(from: 0, to: values.count, by: width).lazy.map { values[$0..<$0 + width] }
    }
}

extension SQLReader {
    /// Starts the query of each item, so that the queries of several batches share a round trip.
    /// - Throws: As ``start(_:_:)``.
    package final func start(_ batch: SQLBatch) async throws(PersistenceError) -> StartedBatch {
        try await session.start(batch)
    }
}

/// The queries of a batch that were started.
package struct StartedBatch {
    let queries: [StartedQuery]

    /// Waits for the rows of all items. They may be asked once, in the body that started the queries.
    /// - Throws: ``PersistenceError`` by the engine's answer.
    package func rows() async throws(PersistenceError) -> [SQLRow] {
        guard queries.count != 1 else { return try await queries[0].rows() }
        var rows: [SQLRow] = []
        for query in queries { rows += try await query.rows() }
        return rows
    }

    /// Waits for the rows of each item, in the order of the items. They may be asked once, as ``rows()``.
    /// - Parameter count: The number of items.
    /// - Throws: As ``rows()``.
    package func rowsOfItems(_ count: Int) async throws(PersistenceError) -> [[SQLRow]] {
        var items: [[SQLRow]] = []
        if queries.count == count {
            for query in queries { items.append(try await query.rows()) }
            return items
        }
        items = Array(repeating: [], count: count)
        for row in try await rows() {
            let number: Int = try row["item_number"]
            items[number - 1].append(row)
        }
        return items
    }

    /// Waits until the statements have run.
    /// - Returns: The number of rows that they have changed.
    /// - Throws: As ``rows()``.
    package func changedCount() async throws(PersistenceError) -> Int {
        var count = 0
        for query in queries { count += try await query.changedCount() }
        return count
    }
}

extension SQLTransaction {
    /// Runs the statement for each item, as ``send(_:_:)`` does.
    /// - Throws: As ``send(_:_:)``.
    package func send(_ batch: SQLBatch) async throws(PersistenceError) {
        try await session.send(batch)
    }
}

/// Writes arrays of one dimension in PostgreSQL's binary format, so that no text has to be escaped.
private enum PostgresArray {
    /// Makes the array of one column of items that lie one after the other.
    static func column(
        _ column: Int, of values: [SQLValue], width: Int, _ type: SQLBatchStatement.Value
    ) -> SQLValue {
        let places = stride(from: column, to: values.count, by: width)
        let hasNull = places.contains { values[$0] == .null }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(20 + 40 * (values.count / width))
        // The dimensions, whether NULL is among the values, their type, and the dimension's length and first index.
        append(1, to: &bytes)
        append(hasNull ? 1 : 0, to: &bytes)
        append(type == .text ? 25 : 20, to: &bytes)
        append(Int32(values.count / width), to: &bytes)
        append(1, to: &bytes)
        for place in places {
            switch (values[place], type) {
            case (.text(let text), .text):
                append(Int32(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            case (.integer(let number), .integer):
                append(8, to: &bytes)
                withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
            case (.null, _): append(-1, to: &bytes)
            default: preconditionFailure("a value of another type than its statement names")
            }
        }
        return .blob(bytes)
    }

    private static func append(_ number: Int32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A query with its values, and the answer that its rows are.
///
/// Repositories make lookups. A reader runs a lookup alone, or many of them with one statement for each query.
/// ```swift
/// static func find(_ id: String) -> SQLLookup<Order?> { SQLLookup(first: byId, id) { try Order($0) } }
/// private static let byId = SQLBatchStatement.query("SELECT * FROM purchase_order WHERE id = ?", .text)
///
/// let order = try await reader.read(OrderRepository.find("o_1"))
/// ```
package struct SQLLookup<Answer>: Sendable {
    /// The query and its values. Equal keys have equal rows.
    package let key: SQLLookupKey
    private let make: @Sendable ([SQLRow]) throws -> Answer

    /// Makes a lookup whose answer is made of all rows.
    package init(
        _ statement: SQLBatchStatement, _ values: any SQLValueConvertible...,
        answer make: @escaping @Sendable ([SQLRow]) throws -> Answer
    ) {
        key = SQLLookupKey(statement: statement, values: values.map(\.sqlValue))
        self.make = make
    }

    /// Makes a lookup of the first row, or nil without rows.
    package init<Row>(
        first statement: SQLBatchStatement, _ values: any SQLValueConvertible...,
        answer make: @escaping @Sendable (SQLRow) throws -> Row
    ) where Answer == Row? {
        key = SQLLookupKey(statement: statement, values: values.map(\.sqlValue))
        self.make = { rows in try rows.first.map(make) }
    }

    /// Makes a lookup of all rows. The query bounds them.
    package init<Row>(
        all statement: SQLBatchStatement, _ values: any SQLValueConvertible...,
        answer make: @escaping @Sendable (SQLRow) throws -> Row
    ) where Answer == [Row] {
        key = SQLLookupKey(statement: statement, values: values.map(\.sqlValue))
        self.make = { rows in try rows.map(make) }
    }

    private init(key: SQLLookupKey, make: @escaping @Sendable ([SQLRow]) throws -> Answer) {
        self.key = key
        self.make = make
    }

    /// Makes the answer of the rows that the query has found.
    /// - Throws: An error of the row that cannot be read.
    package func answer(_ rows: [SQLRow]) throws -> Answer { try make(rows) }

    /// Returns the lookup with another answer of the same rows.
    package func map<Other>(_ transform: @escaping @Sendable (Answer) throws -> Other) -> SQLLookup<Other> {
        SQLLookup<Other>(key: key) { [make] rows in try transform(make(rows)) }
    }
}

/// The query of a lookup and its values.
package struct SQLLookupKey: Hashable, Sendable {
    package let statement: SQLBatchStatement
    package let values: [SQLValue]
    /// The values' hash. A key is looked up several times.
    private let hash: Int

    init(statement: SQLBatchStatement, values: [SQLValue]) {
        self.statement = statement
        self.values = values
        hash = values.hashValue
    }

    package static func == (left: SQLLookupKey, right: SQLLookupKey) -> Bool {
        left.statement === right.statement && left.values.elementsEqual(right.values) { $0.isSame(as: $1) }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(statement))
        hasher.combine(hash)
    }
}

extension SQLValue {
    /// Tells whether the engine takes both for the same. Texts are bytes to it.
    fileprivate func isSame(as other: SQLValue) -> Bool {
        guard case .text(let left) = self, case .text(let right) = other else { return self == other }
        return left.utf8.elementsEqual(right.utf8)
    }
}

/// A statement that changes rows, with its values.
///
/// ```swift
/// static func finish(_ id: String) -> SQLChange { SQLChange(finished, id, changes: 1) }
/// private static let finished = SQLBatchStatement.update(
///     "purchase_order", set: "is_finished = 1", where: "id = ?", .text)
/// ```
package struct SQLChange: Sendable {
    package let statement: SQLBatchStatement
    package let values: [SQLValue]
    /// The number of rows that the change must change, or nil for any number.
    package let rowCount: Int?

    /// - Parameter rowCount: The number of rows that it must change, or nil for any number.
    package init(_ statement: SQLBatchStatement, _ values: any SQLValueConvertible..., changes rowCount: Int? = nil) {
        self.statement = statement
        self.values = values.map(\.sqlValue)
        self.rowCount = rowCount
    }
}

extension SQLReader {
    /// Runs one lookup.
    /// - Throws: ``PersistenceError`` by the engine's answer, or the answer's error.
    package final func read<Answer>(_ lookup: SQLLookup<Answer>) async throws -> Answer {
        var batch = SQLBatch(lookup.key.statement)
        batch.append(lookup.key.values)
        return try lookup.answer(try await start(batch).rows())
    }

    /// Starts lookups, those of one query in one statement, so that all of them share a round trip.
    /// - Throws: As ``start(_:_:)``.
    package final func start(_ keys: [SQLLookupKey]) async throws(PersistenceError) -> StartedLookups {
        var groups: [(batch: SQLBatch, keys: [SQLLookupKey])] = []
        var indexes: [ObjectIdentifier: Int] = [:]
        var seen: Set<SQLLookupKey> = []
        for key in keys where seen.insert(key).inserted {
            let index = indexes[ObjectIdentifier(key.statement)] ?? groups.count
            if index == groups.count {
                indexes[ObjectIdentifier(key.statement)] = index
                groups.append((SQLBatch(key.statement), []))
            }
            groups[index].batch.append(key.values)
            groups[index].keys.append(key)
        }
        var started: [(batch: StartedBatch, keys: [SQLLookupKey])] = []
        for group in groups { started.append((try await start(group.batch), group.keys)) }
        return StartedLookups(groups: started)
    }
}

/// Lookups that were started.
package struct StartedLookups {
    fileprivate let groups: [(batch: StartedBatch, keys: [SQLLookupKey])]

    /// Waits for the rows of all lookups. They may be asked once, in the body that started the lookups.
    /// - Throws: ``PersistenceError`` by the engine's answer.
    package func rows() async throws(PersistenceError) -> [SQLLookupKey: [SQLRow]] {
        var answers: [SQLLookupKey: [SQLRow]] = [:]
        for (batch, keys) in groups {
            for (key, rows) in zip(keys, try await batch.rowsOfItems(keys.count)) { answers[key] = rows }
        }
        return answers
    }
}

extension SQLTransaction {
    /// Runs one change, as ``send(_:_:)`` does, without a look at the number of rows.
    /// - Throws: As ``send(_:_:)``.
    package func send(_ change: SQLChange) async throws(PersistenceError) {
        var batch = SQLBatch(change.statement)
        batch.append(change.values)
        try await send(batch)
    }

    /// Runs one change.
    /// - Returns: The number of rows it has changed.
    /// - Throws: ``PersistenceError``, such as `constraint` if the schema refused it.
    @discardableResult
    package func execute(_ change: SQLChange) async throws(PersistenceError) -> Int {
        var batch = SQLBatch(change.statement)
        batch.append(change.values)
        return try await start(batch).changedCount()
    }
}

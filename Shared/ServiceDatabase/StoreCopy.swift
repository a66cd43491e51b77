import Persistence
import StoreModels

/// Copies an isolated store's rows into another store of the same seed, within one transaction of a service.
///
/// Each service copies its own tables. No service tells another which identifier became which: the new identifier is a
/// function of the old one and the copy's number (ADR 0089).
package struct StoreCopy: Sendable {
    /// A table whose rows are copied.
    package struct Table: Sendable {
        package let name: String
        /// The column with the app, or with its scope.
        let app: String
        /// Columns that the engine fills for the new rows.
        let filled: Set<String>
        /// Columns with other values in the new rows.
        let values: [String: SQLValue]
        let condition: String

        /// - Parameters:
        ///   - app: The column with the app's bundle identifier, or with its scope.
        ///   - filled: Columns that are numbered anew, in the order of the former numbers.
        ///   - values: Columns with other values in the new rows.
        ///   - condition: An SQL condition on the rows that are copied.
        package init(
            _ name: String, app: String = "bundle_id", filled: Set<String> = [], values: [String: SQLValue] = [:],
            where condition: String = "true"
        ) {
            self.name = name
            self.app = app
            self.filled = filled
            self.values = values
            self.condition = condition
        }
    }

    /// Maximum number of rows that are copied of one table.
    package static let rowsMax = 20_000

    private let from: IsolatedApp
    private let to: IsolatedApp
    private let fromBundleId: [UInt8]
    private let wall: Timestamp

    /// - Parameter wall: When the new rows of logs are written. Logs are pruned in the order of their ages.
    /// - Throws: `requestInvalid` unless both are isolated stores' copies of one app with equal seeds.
    package init(_ request: CopyAppRequest, wall: Timestamp = .wallClock()) throws(StoreError) {
        guard let from = IsolatedApp(request.from), let to = IsolatedApp(request.to),
            from.shownBundleId.isExactly(to.shownBundleId), from.seed == to.seed, from.number != to.number
        else {
            throw StoreError(
                .requestInvalid,
                "$.to: '\(request.to)' must be another isolated store's copy of the app '\(request.from)', of equal seed",
                details: ["path": "$.to"])
        }
        (self.from, self.to, self.wall, fromBundleId) = (from, to, wall, Array(from.bundleId.utf8))
    }

    /// Writes the copy in one commit, unless its caller has stopped waiting by then.
    /// - Throws: `serviceUnavailable` with `retryAfterMs` 0 if the store has changed meanwhile, and without it after
    ///   the deadline, or the errors of `body`.
    package static func commit<Value: Sendable>(
        in database: any SQLDatabase, until deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (SQLTransaction) async throws -> Value
    ) async throws -> Value {
        do {
            return try await database.write { transaction in
                let value = try await body(transaction)
                guard ContinuousClock.now < deadline else {
                    throw StoreError(.serviceUnavailable, "the copy of the store has taken too long")
                }
                return value
            }
        } catch let error as PersistenceError {
            guard case .constraint = error.code else { throw error }
            throw StoreError(.serviceUnavailable, "the store has changed while it was copied", retryAfterMs: 0)
        }
    }

    // MARK: Rows

    /// Copies a table's rows of the store.
    /// - Throws: `requestInvalid` beyond ``rowsMax``, or ``PersistenceError``.
    package func copy(_ table: Table, in transaction: SQLTransaction) async throws {
        for row in try await rows(of: table, in: transaction) { try await insert(row, into: table, in: transaction) }
    }

    /// Reads a table's rows of the store.
    /// - Throws: `requestInvalid` beyond ``rowsMax``, or ``PersistenceError``.
    package func rows(of table: Table, in reader: SQLReader) async throws -> [SQLRow] {
        let (name, app, condition) = (table.name, table.app, table.condition)
        let number = table.filled.contains("xact") ? reader.dialect.eventOrder : table.filled.first
        let order = number.map { number in "ORDER BY \(number)" } ?? ""
        let rows = try await reader.query(
            "SELECT * FROM \(name) WHERE \(app) = ? AND \(condition) \(order) LIMIT ?", from.bundleId,
            Self.rowsMax + 1)
        guard rows.count <= Self.rowsMax else {
            throw StoreError(
                .requestInvalid,
                "store \(from.store) has more than \(Self.rowsMax) rows of '\(name)', the most that a fork or snapshot "
                    + "copies; make one of a smaller store")
        }
        return rows
    }

    /// Writes a row's copy.
    /// - Parameter values: Columns with other values in this row's copy.
    package func insert(
        _ row: SQLRow, into table: Table, values: [String: SQLValue] = [:], in transaction: SQLTransaction
    ) async throws {
        let (sql, arguments) = statement(row, table, values)
        try await transaction.send(sql, arguments: arguments)
    }

    /// Writes a row's copy.
    /// - Parameters:
    ///   - values: Columns with other values in this row's copy.
    ///   - column: The column that the engine numbers the rows by.
    /// - Returns: The number.
    package func insert(
        _ row: SQLRow, into table: Table, values: [String: SQLValue] = [:], numberedBy column: String,
        in transaction: SQLTransaction
    ) async throws -> Int64 {
        let (sql, arguments) = statement(row, table, values)
        let written = try await transaction.query("\(sql) RETURNING \(column)", arguments: arguments)
        guard let number: Int64 = try written.first?[column] else {
            throw StoreError(.internal, "a copied row of '\(table.name)' was not written")
        }
        return number
    }

    private func statement(
        _ row: SQLRow, _ table: Table, _ values: [String: SQLValue]
    ) -> (sql: String, arguments: [SQLValue]) {
        var (columns, arguments): ([String], [SQLValue]) = ([], [])
        for (column, value) in zip(row.columns, row.values) {
            let given = values[column] ?? table.values[column]
            guard given != nil || !table.filled.contains(column) else { continue }
            columns.append(column)
            arguments.append(column == "written_at" ? .integer(wall.milliseconds) : given ?? renamed(value))
        }
        let name = table.name
        let (names, placeholders) = (columns.joined(separator: ", "), columns.map { _ in "?" }.joined(separator: ", "))
        return ("INSERT INTO \(name) (\(names)) VALUES (\(placeholders))", arguments)
    }

    // MARK: Names

    private func renamed(_ value: SQLValue) -> SQLValue {
        guard case .text(let text) = value else { return value }
        return .text(renamed(text))
    }

    /// Returns a text, a JSON document among others, with the copy's names in place of the store's.
    ///
    /// Those are the store's app, and identifiers such as `t_…`, which are unique on the installation. Their last eight
    /// digits become others. The beginning stays, so that they sort as before.
    package func renamed(_ text: String) -> String {
        var text = text
        return text.withUTF8 { bytes in
            var result: [UInt8] = []
            // Up to where the bytes are in the result.
            var end = 0
            for index in bytes.indices {
                switch bytes[index] {
                case UInt8(ascii: "@"):
                    let start = index - from.shownBundleId.utf8.count
                    guard start >= end, bytes[start...].starts(with: fromBundleId),
                        bytes[start...].dropFirst(fromBundleId.count).first.map(CrockfordBase32.isDigit) != true
                    else { continue }
                    result += bytes[end..<start] + Array(to.bundleId.utf8)
                    end = start + fromBundleId.count
                case UInt8(ascii: "_"):
                    guard index >= end, let digits = Self.digits(bytes, after: index) else { continue }
                    let changed = digits.upperBound - 8
                    result += bytes[end..<changed]
                    result += renamedEnd(of: bytes[digits]).utf8
                    end = digits.upperBound
                default: continue
                }
            }
            guard end > 0 else { return nil }
            return String(decoding: result + bytes[end...], as: UTF8.self)
        } ?? text
    }

    /// The prefixes of identifiers that are random, without the underscore. Those that are positions have others.
    private static let prefixes: Set = ["a", "ap", "c", "d", "i", "n", "o", "q", "r", "t"]

    /// Finds an identifier's digits.
    /// - Parameter underscore: Where a prefix may end.
    /// - Returns: Nil if there is no identifier.
    private static func digits(_ bytes: UnsafeBufferPointer<UInt8>, after underscore: Int) -> Range<Int>? {
        let start = bytes[..<underscore].lastIndex { !isNamePart($0) }.map { $0 + 1 } ?? 0
        guard (1...2).contains(underscore - start),
            prefixes.contains(String(decoding: bytes[start..<underscore], as: UTF8.self))
        else { return nil }
        let rest = bytes[(underscore + 1)...]
        let end = rest.firstIndex { !CrockfordBase32.isDigit($0) } ?? rest.endIndex
        guard end == rest.endIndex || !isNamePart(bytes[end]), [24, 26].contains(end - rest.startIndex) else {
            return nil
        }
        return rest.startIndex..<end
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }

    /// Returns the last eight digits of an identifier in the copy: 40 bits of FNV-1a.
    private func renamedEnd(of digits: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in Array(digits) + Array(to.store.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return CrockfordBase32.digits(hash ^ hash >> 32, count: 8)
    }
}

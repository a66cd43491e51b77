internal import CSQLite

/// One connection to a file, with its prepared statements.
///
/// `@unchecked Sendable`: it is made on one thread, handed to the one that uses it from then on, and closed there.
final class SQLiteConnection: @unchecked Sendable {
    /// Time that a statement waits for another process's lock, such as that of a copy or an inspection.
    static let busyTimeoutMilliseconds = 5000
    /// Maximum number of prepared statements kept. A store uses about a hundred, and lists of many lengths make more.
    static let statementsMax = 256

    let path: String
    private let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    /// The values of the statement that runs.
    private let values = BoundValues()
    private var isClosed = false

    /// - Parameter isReader: Whether it is read-only. The writer must be open then, because a read-only connection
    ///   cannot create the log's shared memory.
    /// - Throws: `cannotOpen`.
    init(path: String, isReader: Bool) throws(PersistenceError) {
        self.path = path
        let access = isReader ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        var opened: OpaquePointer?
        // One thread at a time uses a connection, so it needs no lock of its own.
        let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let opened else {
            let error = PersistenceError(sqlite: code, opened.map { String(cString: sqlite3_errmsg($0)) }, path: path)
            sqlite3_close_v2(opened)
            throw error
        }
        handle = opened
        sqlite3_busy_timeout(handle, CInt(Self.busyTimeoutMilliseconds))
    }

    deinit { try? close() }

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The `INTEGER PRIMARY KEY` of the last row that an INSERT has written.
    var lastInsertedNumber: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs one statement to its end, or until it has `rowsMax` rows.
    func run(
        _ sql: String, _ arguments: [SQLValue] = [], rowsMax: Int = .max
    ) throws(PersistenceError) -> SQLResult {
        var hasWritten = false
        return try run(sql, arguments, rowsMax: rowsMax, &hasWritten)
    }

    /// Runs one statement to its end, or until it has `rowsMax` rows.
    /// - Parameter hasWritten: Set if the statement may have changed the database, even by a failure.
    func run(
        _ sql: String, _ arguments: [SQLValue], rowsMax: Int, _ hasWritten: inout Bool
    ) throws(PersistenceError) -> SQLResult {
        try run(try statement(for: sql), sql, arguments[...], rowsMax: rowsMax, &hasWritten)
    }

    /// Runs the statement of a batch for each of its items.
    /// - Parameter hasWritten: Set if it may have changed the database, even by a failure.
    /// - Returns: A result for each item, in their order.
    func run(_ batch: SQLBatch, _ hasWritten: inout Bool) throws(PersistenceError) -> [SQLResult] {
        guard !batch.isEmpty else { return [] }
        let sql = batch.statement.one
        let statement = try statement(for: sql)
        var results: [SQLResult] = []
        results.reserveCapacity(batch.count)
        for item in batch.items { results.append(try run(statement, sql, item, rowsMax: .max, &hasWritten)) }
        return results
    }

    private func run(
        _ statement: SQLiteStatement, _ sql: String, _ arguments: ArraySlice<SQLValue>, rowsMax: Int,
        _ hasWritten: inout Bool
    ) throws(PersistenceError) -> SQLResult {
        if !statement.isReadOnly { hasWritten = true }
        guard arguments.count == statement.parameterCount else {
            throw PersistenceError(
                .statement, "\(path): \(statement.parameterCount) parameters, \(arguments.count) values in '\(sql)'")
        }
        defer { statement.reset() }
        try check(statement.bind(arguments, in: values), sql)
        var result = SQLResult()
        while true {
            let code = sqlite3_step(statement.handle)
            if code == SQLITE_DONE { break }
            guard code == SQLITE_ROW else { throw error(code, sql) }
            if result.rows.count == rowsMax { break }
            result.rows.append(statement.row())
            // A statement that writes has done all of it with its first row.
            if result.rows.count == rowsMax { break }
        }
        if !statement.isReadOnly { result.changed = Int(sqlite3_changes64(handle)) }
        return result
    }

    /// Runs a statement for the first value of its first row, as of a `PRAGMA`.
    func value(_ sql: String) throws(PersistenceError) -> SQLValue? {
        try run(sql, rowsMax: 1).rows.first?.values.first
    }

    /// Runs statements separated by semicolons.
    func script(_ sql: String) throws(PersistenceError) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil), sql)
    }

    /// Runs statements as one transaction.
    func transaction(_ body: () throws(PersistenceError) -> Void) throws(PersistenceError) {
        do throws(PersistenceError) {
            try script("BEGIN IMMEDIATE")
            try body()
            try script("COMMIT")
        } catch {
            if isInTransaction { try? script("ROLLBACK") }
            throw error
        }
    }

    private func statement(for sql: String) throws(PersistenceError) -> SQLiteStatement {
        if let known = statements[sql] { return known }
        let prepared = try prepare(sql)
        // Without one that is running: each statement is reset before the next begins.
        if statements.count >= Self.statementsMax { statements.removeAll(keepingCapacity: true) }
        statements[sql] = prepared
        return prepared
    }

    private func prepare(_ sql: String) throws(PersistenceError) -> SQLiteStatement {
        var prepared: OpaquePointer?
        var code = SQLITE_OK
        var isWhole = true
        sql.withCString { start in
            var rest: UnsafePointer<CChar>?
            code = sqlite3_prepare_v3(handle, start, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &rest)
            isWhole = rest.map { String(cString: $0).allSatisfy { $0.isWhitespace || $0 == ";" } } ?? true
        }
        try check(code, sql)
        guard let prepared else { throw PersistenceError(.statement, "\(path): an empty statement") }
        let statement = SQLiteStatement(prepared)
        guard isWhole else { throw PersistenceError(.statement, "\(path): more than one statement in '\(sql)'") }
        return statement
    }

    private func check(_ code: CInt, _ sql: String) throws(PersistenceError) {
        guard code == SQLITE_OK else { throw error(code, sql) }
    }

    private func error(_ code: CInt, _ sql: String) -> PersistenceError {
        let extended = sqlite3_extended_errcode(handle)
        // A refused call (SQLITE_MISUSE) leaves the connection's own code as it was.
        return PersistenceError(
            sqlite: extended & 0xff == code & 0xff ? extended : code, String(cString: sqlite3_errmsg(handle)),
            path: path, sql: sql)
    }

    /// Closes the connection. Closing the last one also empties the log. No statement may run afterwards.
    func close() throws(PersistenceError) {
        guard !isClosed else { return }
        isClosed = true
        statements.removeAll()
        let code = sqlite3_close(handle)
        guard code != SQLITE_OK else { return }
        let error = error(code, "close")
        // Lets go of the file in any case, once nothing uses it any more.
        sqlite3_close_v2(handle)
        throw error
    }
}

/// A prepared statement of one connection.
final class SQLiteStatement {
    let handle: OpaquePointer
    let parameterCount: Int
    /// Whether it leaves the database unchanged.
    let isReadOnly: Bool
    private(set) var columns: SQLColumns

    init(_ handle: OpaquePointer) {
        self.handle = handle
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
        isReadOnly = sqlite3_stmt_readonly(handle) != 0
        columns = Self.columns(of: handle)
    }

    deinit { sqlite3_finalize(handle) }

    private static func columns(of handle: OpaquePointer) -> SQLColumns {
        SQLColumns((0..<sqlite3_column_count(handle)).map { String(cString: sqlite3_column_name(handle, $0)) })
    }

    /// Binds the parameters.
    /// - Parameter values: Memory for them, until ``reset()``.
    /// - Returns: SQLite's result code.
    func bind(_ arguments: ArraySlice<SQLValue>, in values: BoundValues) -> CInt {
        values.clear(forBytes: arguments.reduce(into: 0) { $0 += $1.byteCount })
        for index in arguments.indices {
            let code = bind(arguments[index], at: CInt(index - arguments.startIndex + 1), in: values)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    /// Binds text and blobs where they lie. A destructor of nil has SQLite neither copy nor free them.
    private func bind(_ value: SQLValue, at index: CInt, in values: BoundValues) -> CInt {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let value): return sqlite3_bind_int64(handle, index, value)
        case .real(let value): return sqlite3_bind_double(handle, index, value)
        case .text(let value):
            let bytes = values.add(value.utf8)
            return sqlite3_bind_text(
                handle, index, bytes.assumingMemoryBound(to: CChar.self), CInt(value.utf8.count), nil)
        // A blob without bytes has no address, and an address of nil would bind NULL.
        case .blob(let value) where value.isEmpty: return sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let value): return sqlite3_bind_blob(handle, index, values.add(value), CInt(value.count), nil)
        }
    }

    /// The statement's current row.
    func row() -> SQLRow {
        let count = Int(sqlite3_data_count(handle))
        // SQLite prepares a statement again by itself after the schema has changed; then it may have other columns.
        if count != columns.names.count { columns = Self.columns(of: handle) }
        let values = [SQLValue](unsafeUninitializedCapacity: count) { buffer, filled in
            for index in 0..<count { buffer.initializeElement(at: index, to: value(at: CInt(index))) }
            filled = count
        }
        return SQLRow(columns, values)
    }

    private func value(at index: CInt) -> SQLValue {
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, index))
        case SQLITE_TEXT:
            let start = sqlite3_column_text(handle, index)
            let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(handle, index)
            return .blob(Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, index)))))
        default: return .null
        }
    }

    /// Releases locks, and forgets the bound values.
    func reset() {
        sqlite3_reset(handle)
        if parameterCount > 0 { sqlite3_clear_bindings(handle) }
    }
}

/// Memory for the text and blobs of the statement that runs. A connection runs one statement at a time.
///
/// SQLite would copy each value into memory of its own. One block is used again by every statement.
final class BoundValues {
    /// A block that has grown larger is given back with the next statement that needs less.
    private static let keptBytes = 64 * 1024

    private var block = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    private var used = 0

    deinit { block.deallocate() }

    /// Forgets the last statement's values, and makes room. No statement that has them bound may run again.
    func clear(forBytes count: Int) {
        used = 0
        guard count > block.count || block.count > Self.keptBytes else { return }
        block.deallocate()
        block = .allocate(byteCount: max(count, 4096), alignment: 1)
    }

    /// Copies a value.
    /// - Returns: Its place, never nil, also for one without bytes.
    func add(_ bytes: some Collection<UInt8>) -> UnsafeMutableRawPointer {
        let target = UnsafeMutableRawBufferPointer(rebasing: block[used...])
        target.copyBytes(from: bytes)
        used += bytes.count
        return block.baseAddress! + (used - bytes.count)
    }
}

extension SQLValue {
    /// The number of bytes of text or a blob. 0 for all other values.
    fileprivate var byteCount: Int {
        switch self {
        case .text(let value): value.utf8.count
        case .blob(let value): value.count
        case .null, .integer, .real: 0
        }
    }
}

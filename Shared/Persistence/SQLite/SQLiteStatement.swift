internal import CSQLite

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
    func bind(_ arguments: [SQLValue], in values: BoundValues) -> CInt {
        values.clear(forBytes: arguments.reduce(into: 0) { $0 += $1.byteCount })
        for (index, argument) in arguments.enumerated() {
            let code = bind(argument, at: CInt(index + 1), in: values)
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

internal import CSQLite

/// A prepared statement of one connection.
final class SQLiteStatement {
    let handle: OpaquePointer
    let parameterCount: Int
    /// Whether it leaves the database as it is.
    let isReadOnly: Bool
    private(set) var columns: SQLColumns

    /// Makes SQLite copy what is bound. The Swift value may be gone before the statement has run.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

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

    /// - Returns: SQLite's result code.
    func bind(_ arguments: [SQLValue]) -> CInt {
        var index: CInt = 0
        for argument in arguments {
            index += 1
            let code = bind(argument, at: index)
            guard code == SQLITE_OK else { return code }
        }
        return SQLITE_OK
    }

    private func bind(_ value: SQLValue, at index: CInt) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let value): sqlite3_bind_int64(handle, index, value)
        case .real(let value): sqlite3_bind_double(handle, index, value)
        case .text(let value): sqlite3_bind_text(handle, index, value, CInt(value.utf8.count), Self.copied)
        // A blob without bytes has no address, and an address of nil would bind NULL.
        case .blob(let value) where value.isEmpty: sqlite3_bind_zeroblob(handle, index, 0)
        case .blob(let value): sqlite3_bind_blob(handle, index, value, CInt(value.count), Self.copied)
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

    /// Releases locks, and the copies of what was bound.
    func reset() {
        sqlite3_reset(handle)
        if parameterCount > 0 { sqlite3_clear_bindings(handle) }
    }
}

internal import CPostgres

/// Values of results in PostgreSQL's binary format: big-endian numbers, and raw bytes.
enum PostgresValue {
    /// Reads one value.
    ///
    /// - Throws: `columnType` for a type the two engines do not share.
    static func read(
        _ result: OpaquePointer, _ row: CInt, _ column: CInt, _ type: Oid
    ) throws(PersistenceError) -> SQLValue {
        guard PQgetisnull(result, row, column) == 0 else { return .null }
        let bytes = UnsafeRawBufferPointer(
            start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column)))
        switch type {
        case 20: return .integer(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
        case 23: return .integer(Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self))))
        case 21: return .integer(Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self))))
        case 16: return .integer(bytes[0] == 0 ? 0 : 1)
        case 25, 1043, 19, 705: return .text(String(decoding: bytes, as: UTF8.self))
        case 17: return .blob(Array(bytes))
        case 701:
            return .real(Double(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))))
        case 700:
            return .real(Double(Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self)))))
        // What a function returns that returns nothing.
        case 2278: return .null
        default:
            let name = String(cString: PQfname(result, column))
            throw PersistenceError(
                .columnType, "column '\(name)' has a type (\(type)) that only PostgreSQL has; CAST it to BIGINT or TEXT"
            )
        }
    }

    /// All rows of a result in text format.
    static func texts(_ result: OpaquePointer) -> [SQLRow] {
        let range = 0..<PQnfields(result)
        let columns = SQLColumns(range.map { String(cString: PQfname(result, $0)) })
        return (0..<PQntuples(result)).map { row in
            SQLRow(
                columns,
                range.map {
                    PQgetisnull(result, row, $0) == 1 ? .null : .text(String(cString: PQgetvalue(result, row, $0)))
                })
        }
    }
}

/// A statement in PostgreSQL's syntax: `?` becomes `$1`, `$2`, ….
struct PlaceholderSyntax {
    let sql: String
    let parameterCount: Int

    /// - Parameter sql: SQL with `?` for each parameter. One between quotes is a question mark.
    init(_ sql: String) {
        var converted: [UInt8] = []
        converted.reserveCapacity(sql.utf8.count + 16)
        var count = 0
        var quote: UInt8?
        for byte in sql.utf8 {
            if byte == UInt8(ascii: "?"), quote == nil {
                count += 1
                converted += "$\(count)".utf8
                continue
            }
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                if quote == nil { quote = byte } else if quote == byte { quote = nil }
            }
            converted.append(byte)
        }
        self.sql = String(decoding: converted, as: UTF8.self)
        parameterCount = count
    }
}

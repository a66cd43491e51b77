internal import CPostgres

/// PostgreSQL's, or libpq's, reason for refusing a connection.
///
/// A refused connection has no result, so its SQLSTATE is read from the message, where its position is the same in each
/// language the server may speak: `FATAL:  28P01: password authentication failed for user "shop"`.
struct PostgresRefusal {
    /// The server's code. Nil for libpq's own failure, because the server was not reached.
    let sqlState: String?
    /// For people: the lines without libpq's advice and the server's source lines.
    let text: String

    /// Has libpq write the SQLSTATE into the message of a connection that fails.
    static func askForCodes(_ connection: OpaquePointer) {
        PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    }

    /// - Parameter message: A message of libpq's for a connection that ``askForCodes(_:)`` was called for.
    init(_ message: String) {
        let lines = message.split(separator: "\n")
        // Of several hosts the one tried last decides: libpq tries the next one only when a host is away.
        let last = lines.lastIndex { Self.code(in: $0) != nil }
        sqlState = last.flatMap { Self.code(in: lines[$0]) }
        // The line with the code is followed by advice and the place in the server's source.
        let told = last.map { lines[...$0] } ?? lines[...]
        // Lines behind a tab are advice for readers of psql.
        text = told.filter { !$0.hasPrefix("\t") }.joined(separator: "; ")
    }

    /// Whether asking again cannot help: credentials, a role or a database that the server refuses.
    var isFinal: Bool {
        guard let sqlState else { return false }
        // 28: authorization, the role too. 3D000: no such database. 42501: the role may not connect to it.
        return sqlState.hasPrefix("28") || sqlState == "3D000" || sqlState == "42501"
    }

    /// The SQLSTATE of a line: five capitals or digits between `:  ` and `: `.
    private static func code(in line: Substring) -> String? {
        let bytes = Array(line.utf8)
        guard bytes.count >= 10 else { return nil }
        for start in 0...(bytes.count - 10) where bytes[start...].starts(with: ":  ".utf8) {
            let code = bytes[(start + 3)..<(start + 8)]
            let isCode = code.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
            if isCode, bytes[(start + 8)...].starts(with: ": ".utf8) { return String(decoding: code, as: UTF8.self) }
        }
        return nil
    }
}

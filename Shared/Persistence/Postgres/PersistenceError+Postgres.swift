internal import CPostgres

extension PersistenceError {
    /// Translates a failed statement for a repository.
    /// - Parameter result: A result of status `PGRES_FATAL_ERROR`.
    init(postgres result: OpaquePointer?, address: String, sql: String) {
        let state = Self.field(result, "C") ?? ""
        // The primary message names tables and constraints; values are in the detail, which is left out.
        let message = Self.field(result, "M") ?? "unknown failure"
        let text = "\(address): \(message) (\(state))"
        switch state {
        case "23505": self.init(.constraint(.unique), text)
        case "23502": self.init(.constraint(.notNull), text)
        case "23503": self.init(.constraint(.foreignKey), text)
        case "23514": self.init(.constraint(.check), text)
        case "40001", "40P01": self.init(.conflict, text)
        case "55P03", "57014": self.init(.busy, text)
        case "53100": self.init(.storageFull, "\(text); free some space, nothing was written")
        case "58030": self.init(.storageFailed, text)
        case "XX001", "XX002": self.init(.corrupted, "\(text); restore the database from a copy")
        // Without a state it is libpq that speaks: the connection is lost.
        // 25006: the server has become a standby, and its primary is another one now.
        case "", "25P03", "25006": self.init(.unavailable, text)
        default:
            let isAway = ["08", "53", "57"].contains(state.prefix(2))
            self.init(isAway ? .unavailable : .statement, isAway ? text : "\(text) in '\(sql)'")
        }
    }

    /// Whether a result or notice ends the session.
    static func isFatal(_ result: OpaquePointer) -> Bool { ["FATAL", "PANIC"].contains(field(result, "V") ?? "") }

    private static func field(_ result: OpaquePointer?, _ code: Character) -> String? {
        PQresultErrorField(result, CInt(code.asciiValue!)).map { String(cString: $0) }
    }
}

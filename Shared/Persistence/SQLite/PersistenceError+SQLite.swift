internal import CSQLite

extension PersistenceError {
    /// Translates SQLite's result code for a repository.
    /// - Parameters:
    ///   - code: The extended result code, which distinguishes constraints.
    ///   - sql: Included only where the statement itself is at fault.
    init(sqlite code: CInt, _ message: String?, path: String, sql: String? = nil) {
        let text = "\(path): \(message ?? "unknown failure")"
        switch code & 0xff {
        case SQLITE_FULL:
            self.init(.storageFull, "\(text); free some space, nothing was written")
        case SQLITE_IOERR:
            self.init(.storageFailed, text)
        case SQLITE_BUSY, SQLITE_LOCKED:
            self.init(.busy, text)
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            self.init(.corrupted, "\(text); restore the file from a copy")
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY:
            self.init(.cannotOpen, text)
        case SQLITE_CONSTRAINT:
            self.init(.constraint(Constraint(sqlite: code)), text)
        default:
            self.init(.statement, "\(text)\(sql.map { " in '\($0)'" } ?? "")")
        }
    }
}

extension PersistenceError.Constraint {
    /// Reads the extended code. Swift does not import its macros (`SQLITE_CONSTRAINT | n << 8`).
    fileprivate init(sqlite code: CInt) {
        switch code >> 8 {
        case 6, 8, 10: self = .unique  // PRIMARYKEY, UNIQUE, ROWID
        case 3: self = .foreignKey
        case 5: self = .notNull
        case 1: self = .check
        default: self = .other
        }
    }
}

internal import GRDB

extension PersistenceError {
    /// What SQLite's result code means to a repository.
    init(_ error: any Error, path: String) {
        if let known = error as? PersistenceError {
            self = known
            return
        }
        guard let failure = error as? DatabaseError else {
            self.init(.statement, "\(path): \(error)")
            return
        }
        let message = failure.message ?? "unknown failure"
        let place = "\(path): \(message)"
        switch failure.resultCode {
        case .SQLITE_FULL:
            self.init(.storageFull, "\(place); free some space, nothing was written")
        case .SQLITE_IOERR:
            self.init(.storageFailed, place)
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(.busy, place)
        case .SQLITE_CORRUPT, .SQLITE_NOTADB:
            self.init(.corrupted, "\(place); restore the file from a copy")
        case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_READONLY:
            self.init(.cannotOpen, place)
        case .SQLITE_CONSTRAINT:
            self.init(
                .constraint(Constraint(failure.extendedResultCode)), place,
                columns: Self.columns(in: message))
        default:
            self.init(.statement, "\(place)\(failure.sql.map { " in '\($0)'" } ?? "")")
        }
    }

    /// SQLite names the columns behind the colon: `UNIQUE constraint failed: payment.app, payment.key`.
    private static func columns(in message: String) -> [String] {
        guard let colon = message.firstRange(of: "constraint failed: ") else { return [] }
        return message[colon.upperBound...].split(separator: ", ").map(String.init)
    }
}

extension PersistenceError.Constraint {
    init(_ code: ResultCode) {
        switch code {
        case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY, .SQLITE_CONSTRAINT_ROWID: self = .unique
        case .SQLITE_CONSTRAINT_FOREIGNKEY: self = .foreignKey
        case .SQLITE_CONSTRAINT_NOTNULL: self = .notNull
        case .SQLITE_CONSTRAINT_CHECK: self = .check
        default: self = .other
        }
    }
}

/// A failure between a repository and its database.
package struct PersistenceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, independent of the engine.
    package enum Code: Hashable, Sendable {
        /// Another process holds the database.
        case held
        /// The file or its directory cannot be opened or written, or the server refuses the user.
        case cannotOpen
        /// The file is damaged, or no database at all. Restore a copy.
        case corrupted
        /// Written by a newer version of the program, or with another build's schema.
        case schemaMismatch
        /// The engine would not take the settings durability rests on.
        case notDurable
        /// The disk is full. No data was written, and the same write may be tried again.
        case storageFull
        /// Reading or writing the disk failed.
        case storageFailed
        /// Another connection locked the file for longer than the busy timeout. May be retried.
        case busy
        /// More reads or writes wait than the bound allows. May be retried.
        case overloaded
        /// The database was closed: the process is ending. May be tried again.
        case closed
        /// The server is away, or the connection was lost before the commit was asked for. No data was written, and the
        /// write may be tried again.
        case unavailable
        /// The connection was lost during the commit: whether it succeeded is unknown. Reading finds out.
        case outcomeUnknown
        /// The engine gave the transaction up because of another one, again and again. No data was written, and the
        /// write may be tried again.
        case conflict
        case constraint(Constraint)
        /// The statement's result has no such column.
        case columnMissing
        /// The column holds a value of another type.
        case columnType
        /// A mistake in a statement: a fault of Storebus.
        case statement
    }

    /// The rule of the schema that a statement broke.
    package enum Constraint: Hashable, Sendable {
        case unique
        case foreignKey
        case notNull
        case check
        case other
    }

    /// The kind of failure, by which repositories decide.
    package let code: Code
    /// Names the file and the remedy, if one exists. It never contains bound values.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether the same call may succeed later without manual repair, except for disk space.
    package var isRetryable: Bool {
        switch code {
        case .storageFull, .busy, .overloaded, .closed, .unavailable, .conflict: true
        default: false
        }
    }

    /// The exit code of a process that cannot start because of it, as in `sysexits.h`.
    package var exitCode: Int32 {
        switch code {
        case .held: 73
        case .corrupted: 65
        case .cannotOpen, .schemaMismatch, .notDurable: 78
        case .unavailable: 69
        case .storageFull, .storageFailed, .busy, .overloaded, .closed, .outcomeUnknown, .conflict: 75
        case .constraint, .columnMissing, .columnType, .statement: 70
        }
    }

    /// The message alone.
    package var description: String { message }
}

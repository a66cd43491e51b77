/// Opens connections with the settings durability rests on, and proves that the engine took them.
enum SQLiteOpening {
    /// Pages kept by the writer, in KiB. SQLite's default is 2 000.
    static let cacheKibibytes = 16_384
    /// Pages of the log after which they are copied to the file, 16 MiB. SQLite's default is 1 000.
    ///
    /// A page that many commits write is copied once. A log of this length is read in a fraction of a second at the
    /// start.
    static let checkpointPages = 4_000

    /// Opens the one connection that writes.
    static func writer(path: String, synchronous: DatabaseSynchronous = .full) throws(PersistenceError)
        -> SQLiteConnection
    {
        let connection = try SQLiteConnection(path: path, isReader: false)
        // FULL: a commit in the log has reached the disk. NORMAL loses acknowledged commits when the power fails.
        _ = try connection.value("PRAGMA journal_mode = WAL")
        try connection.script("PRAGMA synchronous = \(synchronous.rawValue)")
        try connection.script("PRAGMA foreign_keys = ON")
        try connection.script("PRAGMA trusted_schema = OFF")
        // What a savepoint may have to undo is kept in memory and not in a temporary file.
        try connection.script("PRAGMA temp_store = MEMORY")
        // Pages that every commit touches stay in memory: the ends of tables, and each active customer's in the indexes.
        try connection.script("PRAGMA cache_size = -\(cacheKibibytes)")
        _ = try connection.value("PRAGMA wal_autocheckpoint = \(checkpointPages)")
        try assertDurable(connection, expecting: settings(synchronous))
        return connection
    }

    /// Opens a connection that only reads.
    static func reader(path: String) throws(PersistenceError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: path, isReader: true)
        try connection.script("PRAGMA query_only = ON")
        return connection
    }

    /// The writer's settings, as `PRAGMA` must report them.
    static func settings(_ synchronous: DatabaseSynchronous) -> [(name: String, value: SQLValue)] {
        [
            ("journal_mode", .text("wal")), ("synchronous", .integer(synchronous.sqliteNumber)),
            ("foreign_keys", .integer(1)), ("busy_timeout", .integer(Int64(SQLiteConnection.busyTimeoutMilliseconds))),
        ]
    }

    /// Checks the settings of a connection.
    ///
    /// - Throws: `notDurable` naming the setting that did not hold.
    static func assertDurable(
        _ connection: SQLiteConnection, expecting settings: [(name: String, value: SQLValue)]
    ) throws(PersistenceError) {
        for (name, value) in settings {
            let actual = try connection.value("PRAGMA \(name)") ?? .null
            guard actual == value else {
                throw PersistenceError(
                    .notDurable,
                    "\(connection.path): PRAGMA \(name) is \(actual) and must be \(value); use a local file system")
            }
        }
    }

    /// Checks the whole file.
    ///
    /// - Throws: `corrupted` with the first fault SQLite finds.
    static func check(_ connection: SQLiteConnection) throws(PersistenceError) {
        let answer = try connection.value("PRAGMA quick_check(1)") ?? .null
        guard answer == .text("ok") else {
            throw PersistenceError(.corrupted, "\(connection.path) is damaged: \(answer); restore it from a copy")
        }
    }
}

extension DatabaseSynchronous {
    /// The number that `PRAGMA synchronous` reports.
    fileprivate var sqliteNumber: Int64 {
        switch self {
        case .off: 0
        case .normal: 1
        case .full: 2
        }
    }
}

internal import GRDB

/// Opens connections with the settings durability rests on, and proves that the engine took them.
enum SQLiteConnection {
    /// How long a statement waits for a lock another process holds (a copy being made, an inspection).
    static let busyTimeoutSeconds = 5.0

    static func writer(path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "storebus.writer"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        configuration.prepareDatabase { database in
            // FULL: a commit in the log has reached the disk. NORMAL loses acknowledged commits when the power fails.
            _ = try String.fetchOne(database, sql: "PRAGMA journal_mode = WAL")
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            // What a savepoint may have to undo is kept in memory. Otherwise it goes to a temporary file, and a group of
            // commits, which has a savepoint for each request, writes three times as often to that as to the log.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { try assertDurable($0, path: path) }
        return queue
    }

    /// The writer must be open, because a read-only connection cannot make the log's shared memory.
    static func reader(path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "storebus.reader"
        configuration.readonly = true
        configuration.busyMode = .timeout(busyTimeoutSeconds)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    static let durableSettings = [
        ("journal_mode", "wal"), ("synchronous", "2"), ("foreign_keys", "1"),
        ("busy_timeout", "\(Int(busyTimeoutSeconds * 1000))"),
    ]

    /// - Throws: `notDurable` naming the setting that did not hold.
    static func assertDurable(
        _ database: Database, path: String, expecting settings: [(name: String, value: String)] = durableSettings
    ) throws {
        for (name, value) in settings {
            let actual = try String.fetchOne(database, sql: "PRAGMA \(name)") ?? "nothing"
            guard actual == value else {
                throw PersistenceError(
                    .notDurable, "\(path): PRAGMA \(name) is \(actual) and must be \(value); use a local file system")
            }
        }
    }

    /// - Throws: `corrupted` with the first fault SQLite finds.
    static func check(_ database: Database, path: String) throws {
        let answer = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
        guard answer == "ok" else {
            throw PersistenceError(.corrupted, "\(path) is damaged: \(answer); restore it from a copy")
        }
    }
}

/// Numbers the rows of logs so that no number is given twice (ADR 0050).
///
/// A log is a table with a key `position INTEGER PRIMARY KEY`, which the engine numbers. Readers keep the number of the
/// last row they have read, and continue behind it. A number that is given again, to a row written after the newest
/// ones were removed or after an older copy of the database was put back, is skipped by them without a word.
///
/// - A removed row's number is not given again: SQLite's keys are `AUTOINCREMENT` (``SchemaSyntax``), PostgreSQL's of a
///   sequence.
/// - Each opening raises the next number to the clock, in microseconds since 1970. A log that was copied, or restored,
///   continues behind everything that its other life has written, because rows come more slowly than microseconds.
/// - On PostgreSQL a column `xact` has the number of the writing transaction, which orders the rows. A restored dump
///   may come to a server that counts from less. So `xact` is ``origin`` and that number. The origin belongs to an
///   incarnation of the server, and is raised to the clock for the next one. It does not change while connections are
///   open, because an incarnation ends with all its connections.
enum LogNumbers {
    /// The table of the last removed places, by the log's name. Rows up to them were removed because of their age.
    static let removed = """
        CREATE TABLE IF NOT EXISTS log_removed (
            name TEXT PRIMARY KEY, last_xact BIGINT NOT NULL, last_position BIGINT NOT NULL);
        """

    // MARK: SQLite

    /// Raises the next number of each log to the clock.
    static func raise(_ connection: SQLiteConnection) throws(PersistenceError) {
        let logs = try connection.run(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%position INTEGER PRIMARY KEY AUTOINCREMENT%'"
        )
        try connection.transaction { () throws(PersistenceError) in
            for log in logs.rows {
                let name: String = try log["name"]
                _ = try connection.run(
                    """
                    INSERT INTO sqlite_sequence (name, seq) SELECT ?, 0
                    WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?)
                    """, [.text(name), .text(name)])
                _ = try connection.run(
                    """
                    UPDATE sqlite_sequence SET seq = MAX(
                        seq, \(microseconds(.sqlite)), (SELECT COALESCE(MAX(position), 0) FROM \(name)))
                    WHERE name = ?
                    """, [.text(name)])
            }
        }
    }

    /// The engine's clock in microseconds since 1970, to the millisecond.
    private static func microseconds(_ dialect: SQLDialect) -> String { "\(dialect.now) * 1000" }

    // MARK: PostgreSQL

    /// The origin of a session's transactions, an expression of SQL.
    static let origin = "current_setting('storebus.log_origin')::bigint"
    /// The number of the writing transaction, the default of a log's `xact`.
    static let transaction = "(\(origin) + pg_current_xact_id()::text::bigint)"

    /// The table of the origin, one row.
    static let originTable = """
        CREATE TABLE IF NOT EXISTS log_origin (
            only_row BIGINT PRIMARY KEY CHECK (only_row = 1), incarnation TEXT NOT NULL, origin BIGINT NOT NULL)
        """

    /// The incarnation of the server: its start, and its timeline, which a standby that takes over begins.
    private static let incarnation = """
        extract(epoch FROM pg_postmaster_start_time())::text || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
        """

    /// The condition of a schema's tables in `pg_depend`, which has an index for it. `pg_class` has none, and a server
    /// with many schemas has a hundred thousand rows there.
    private static let inSchema = """
        classid = 'pg_class'::regclass AND refclassid = 'pg_namespace'::regclass
            AND refobjid = current_schema()::regnamespace
        """

    /// Raises the next number of each log to the clock.
    ///
    /// A sequence is left alone where its numbers are beyond the clock. Replicas may take numbers meanwhile.
    static let raisePostgres = """
        DO $$
        DECLARE log record;
        BEGIN
            FOR log IN
                SELECT pg_get_serial_sequence(attrelid::regclass::text, 'position') AS sequence
                FROM pg_attribute JOIN pg_depend ON objid = attrelid
                WHERE \(inSchema) AND attname = 'position' AND attidentity <> ''
            LOOP
                EXECUTE format(
                    'SELECT setval(%L, clock) FROM %s, CAST(\(microseconds(.postgres)) AS bigint) AS clock
                    WHERE last_value < clock',
                    log.sequence, log.sequence);
            END LOOP;
        END $$
        """

    /// Gives a session the origin of the server's incarnation. It has no row in a new incarnation.
    static let takeOrigin = """
        SELECT set_config('storebus.log_origin', origin::text, false) FROM log_origin
        WHERE incarnation = \(incarnation)
        """

    /// Makes the origin of a new incarnation. Of several sessions the first one makes it.
    static let raiseOrigin = """
        DO $$
        DECLARE
            log record;
            highest bigint := \(microseconds(.postgres));
            last bigint;
        BEGIN
            FOR log IN
                SELECT attrelid::regclass AS name FROM pg_attribute JOIN pg_depend ON objid = attrelid
                WHERE \(inSchema) AND attname = 'xact'
            LOOP
                EXECUTE format('SELECT MAX(xact) FROM %s', log.name) INTO last;
                highest := GREATEST(highest, last);
            END LOOP;
            INSERT INTO log_origin (only_row, incarnation, origin)
            VALUES (1, \(incarnation), highest + 1 - pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
            ON CONFLICT (only_row) DO UPDATE
            SET incarnation = excluded.incarnation, origin = GREATEST(log_origin.origin, excluded.origin)
            WHERE log_origin.incarnation <> excluded.incarnation;
        END $$
        """
}

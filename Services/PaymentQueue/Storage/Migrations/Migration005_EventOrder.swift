import Persistence

extension Migration {
    /// The order of events across the store.
    ///
    /// SQLite writes one commit after another, so the journal's own number orders them. PostgreSQL does not: a row
    /// records its transaction there, and readers stop before the oldest one in progress (``EventRepository``). No
    /// store used PostgreSQL before this migration.
    static let eventOrder = Migration(
        number: 5, name: "the order of events",
        sql: "DELETE FROM counter WHERE name = 'event';",
        postgres: """
            DELETE FROM counter WHERE name = 'event';
            ALTER SEQUENCE counter_transaction RESTART WITH 2000000000000001;
            ALTER TABLE journal ALTER COLUMN xact SET DEFAULT (pg_current_xact_id()::text::bigint);
            CREATE INDEX journal_xact ON journal (xact, position);
            """)
}

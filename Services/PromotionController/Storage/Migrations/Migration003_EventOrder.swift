import Persistence

extension Migration {
    /// The order of events. PostgreSQL's commits run side by side: a row remembers its transaction there, and readers
    /// stop before the oldest one in progress (``EventRepository``).
    static let eventOrder = Migration(
        number: 3, name: "the order of events",
        sql: "CREATE INDEX intent_event_age ON intent_event (written_at);",
        postgres: """
            CREATE INDEX intent_event_age ON intent_event (written_at);
            ALTER TABLE intent_event ALTER COLUMN xact SET DEFAULT (pg_current_xact_id()::text::bigint);
            CREATE INDEX intent_event_xact ON intent_event (xact, position);
            """)
}

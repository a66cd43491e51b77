import Persistence

extension Migration {
    /// The event that an isolated store's notification was made of, so that an event that is read again makes none.
    /// Elsewhere the notification's own `uuid` is made of it.
    static let sources = Migration(
        number: 3, name: "sources of notifications",
        sql: """
            ALTER TABLE notification ADD COLUMN source TEXT;
            CREATE UNIQUE INDEX notification_source ON notification (source) WHERE source IS NOT NULL;
            """)
}

import Persistence

extension Migration {
    /// Revocations and subscription changes in the journal, whose `event` has no check any more.
    ///
    /// The names of PostgreSQL's constraints are those the table's creation gave the checks.
    static let revocations = Migration(
        number: 8, name: "revocations and subscriptions in the journal", sql: sql, postgres: postgres)

    private static let sql = """
        CREATE TABLE journal_next (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            seq BIGINT NOT NULL,
            transaction_id TEXT,
            revision INTEGER,
            kind TEXT NOT NULL CHECK (
                kind IN (
                    'updated', 'removed', 'restoreEnded', 'downloadsUpdated', 'entitlementsRevoked',
                    'subscriptionChanged')),
            device_id TEXT,
            body TEXT NOT NULL,
            written_at BIGINT NOT NULL,
            position INTEGER PRIMARY KEY,
            xact BIGINT NOT NULL DEFAULT 0,
            event TEXT,
            UNIQUE (bundle_id, customer_identifier, seq),
            CHECK ((kind = 'restoreEnded') = (transaction_id IS NULL)),
            CHECK ((transaction_id IS NULL) = (revision IS NULL)),
            CHECK ((kind IN ('restoreEnded', 'downloadsUpdated')) = (device_id IS NOT NULL))
        );
        INSERT INTO journal_next (bundle_id, customer_identifier, seq, transaction_id, revision, kind, device_id, body,
            written_at, position, xact, event)
        SELECT bundle_id, customer_identifier, seq, transaction_id, revision, kind, device_id, body, written_at,
            position, xact, event
        FROM journal;
        DROP TABLE journal;
        ALTER TABLE journal_next RENAME TO journal;
        CREATE INDEX journal_age ON journal (written_at);
        """

    private static let postgres = """
        ALTER TABLE journal DROP CONSTRAINT journal_next_kind_check;
        ALTER TABLE journal DROP CONSTRAINT journal_next_event_check;
        ALTER TABLE journal ADD CONSTRAINT journal_kind_check CHECK (
            kind IN (
                'updated', 'removed', 'restoreEnded', 'downloadsUpdated', 'entitlementsRevoked', 'subscriptionChanged'));
        """
}

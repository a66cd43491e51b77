extension PaymentQueueSchema {
    /// Restores, downloads, interrupted purchases.
    ///
    /// - `was_deferred` stays when a transaction goes on, so that a word on it that comes late is told from one on a
    ///   transaction that was never deferred. Deferral was the only way to a third revision so far.
    /// - `supersedes` is unique: whoever resolves an interrupted purchase, one transaction takes its place.
    /// - A restore is its own cursor: originals up to `through_number` belong to it, those up to `last_number` are done.
    ///   `started_seq` is where the journal stood, which orders a device's restores.
    /// - A download has a row when its device has touched it; until then it waits.
    /// - The journal learns of changes that are no transaction's and go to one device; it is copied, because neither its
    ///   NOT NULLs nor its checks can be altered in place. Its rows are numbered by the engine from now on.
    static let fourth = """
        ALTER TABLE payment_transaction ADD COLUMN was_deferred INTEGER NOT NULL DEFAULT 0;
        UPDATE payment_transaction SET was_deferred = 1 WHERE state = 'deferred' OR revision > 2;
        ALTER TABLE payment_transaction ADD COLUMN supersedes TEXT;
        CREATE UNIQUE INDEX payment_transaction_supersedes ON payment_transaction (supersedes)
            WHERE supersedes IS NOT NULL;

        CREATE TABLE restore (
            id TEXT PRIMARY KEY,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            device_id TEXT NOT NULL,
            request_key TEXT NOT NULL,
            application_username TEXT,
            state TEXT NOT NULL CHECK (state IN ('running', 'finished', 'failed')),
            restored INTEGER NOT NULL,
            error TEXT,
            through_number BIGINT NOT NULL,
            last_number BIGINT NOT NULL,
            is_acknowledged INTEGER NOT NULL DEFAULT 0,
            started_seq BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
            UNIQUE (bundle_id, customer_identifier, request_key),
            CHECK ((state = 'failed') = (error IS NOT NULL)),
            CHECK (is_acknowledged = 0 OR state <> 'running')
        );
        CREATE INDEX restore_running ON restore (id) WHERE state = 'running';
        CREATE INDEX restore_ended ON restore (bundle_id, customer_identifier, device_id, started_seq)
            WHERE is_acknowledged = 0;

        CREATE TABLE download (
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            device_id TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('waiting', 'active', 'paused', 'finished', 'failed', 'cancelled')),
            error TEXT,
            PRIMARY KEY (transaction_id, device_id),
            CHECK ((state = 'failed') = (error IS NOT NULL))
        );

        CREATE TABLE journal_next (
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            seq BIGINT NOT NULL,
            transaction_id TEXT,
            revision INTEGER,
            kind TEXT NOT NULL CHECK (kind IN ('updated', 'removed', 'restoreEnded', 'downloadsUpdated')),
            device_id TEXT,
            body TEXT NOT NULL,
            written_at BIGINT NOT NULL,
            position INTEGER PRIMARY KEY,
            xact BIGINT NOT NULL DEFAULT 0,
            event TEXT CHECK (
                event IS NULL
                OR event IN (
                    'purchasing', 'purchased', 'failed', 'deferred', 'restored', 'finished',
                    'finishedWithPendingDownloads')),
            UNIQUE (bundle_id, customer_identifier, seq),
            CHECK ((kind = 'restoreEnded') = (transaction_id IS NULL)),
            CHECK ((transaction_id IS NULL) = (revision IS NULL)),
            CHECK ((kind IN ('restoreEnded', 'downloadsUpdated')) = (device_id IS NOT NULL))
        );
        INSERT INTO journal_next (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body, written_at,
            event)
        SELECT bundle_id, customer_identifier, seq, transaction_id, revision, kind, body, written_at, event
        FROM journal ORDER BY COALESCE(position, 0), written_at, seq;
        DROP TABLE journal;
        ALTER TABLE journal_next RENAME TO journal;
        CREATE INDEX journal_age ON journal (written_at);
        """

    /// What orders the events of the whole store. SQLite's rows are written one commit after the other, so the journal's
    /// own number does. PostgreSQL's are not: there a row remembers its transaction, and readers stop before the oldest
    /// one that is under way (``EventRepository``).
    static let fifth = "DELETE FROM counter WHERE name = 'event';"

    /// Nothing was sold on PostgreSQL before this step.
    static let fifthOnPostgres = """
        DELETE FROM counter WHERE name = 'event';
        ALTER SEQUENCE counter_transaction RESTART WITH 2000000000000001;
        ALTER TABLE journal ALTER COLUMN xact SET DEFAULT (pg_current_xact_id()::text::bigint);
        CREATE INDEX journal_xact ON journal (xact, position);
        """

    /// Which replica is at what was left under way, and until when (``PurchaseClaims``). On PostgreSQL a new row begins
    /// with the moment it was written, by the server's clock; SQLite has one process and needs neither.
    static let sixth = """
        ALTER TABLE payment_transaction ADD COLUMN claimed_by TEXT;
        ALTER TABLE payment_transaction ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
        """

    static let sixthOnPostgres = """
        ALTER TABLE payment_transaction ADD COLUMN claimed_by TEXT COLLATE "C";
        ALTER TABLE payment_transaction ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE payment_transaction ALTER COLUMN claimed_until
            SET DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);
        """
}

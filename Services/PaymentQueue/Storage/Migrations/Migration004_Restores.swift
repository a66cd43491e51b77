import Persistence

extension Migration {
    /// Restores, downloads and interrupted purchases.
    ///
    /// - `was_deferred` stays when a transaction continues, so that a late answer to it differs from one to a
    ///   transaction that was never deferred. Before this migration only deferral led to a third revision.
    /// - `supersedes` is unique: an interrupted purchase is replaced once.
    /// - A restore is its own cursor: originals up to `through_number` belong to it, those up to `last_number` are
    ///   done. `started_seq` is the journal's head at its start, which orders a device's restores.
    /// - A download has a row when its device has touched it; until then it waits.
    /// - The journal also holds changes for one device that concern no transaction. It is copied, because neither its
    ///   NOT NULLs nor its checks can be altered in place. The engine numbers its rows from now on.
    static let restores = Migration(
        number: 4, name: "restores, downloads and interrupted purchases", sql: sql)

    private static let sql = """
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
}

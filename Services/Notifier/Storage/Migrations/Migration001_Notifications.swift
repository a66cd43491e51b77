import Persistence

extension Migration {
    /// Endpoints, notifications and their attempts.
    ///
    /// - `outbox_reader` has one row, the last of PaymentQueue's server events that is stored.
    /// - `notification.due_at` is when the next attempt is due by the app's clock, `due_wall` by the wall clock; at most
    ///   one of them is set. `draft` is what was known of the event, `payload` what was signed and is sent.
    /// - `claimed_by` and `claimed_until` say which attempt is under way and until when its process has to end it.
    /// - `attempt.result` is null while it is under way.
    static let notifications = Migration(
        number: 1, name: "endpoints, notifications and attempts",
        sql: """
            CREATE TABLE outbox_reader (name TEXT PRIMARY KEY, position TEXT NOT NULL);

            CREATE TABLE endpoint (bundle_id TEXT PRIMARY KEY, body TEXT NOT NULL);

            CREATE TABLE notification (
                position INTEGER PRIMARY KEY,
                uuid TEXT NOT NULL UNIQUE,
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT,
                account TEXT,
                type TEXT NOT NULL,
                subtype TEXT,
                event_at BIGINT NOT NULL,
                signed_at BIGINT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('pending', 'retrying', 'delivered', 'failed', 'noEndpoint')),
                draft TEXT NOT NULL,
                payload TEXT,
                attempts INTEGER NOT NULL DEFAULT 0,
                due_at BIGINT,
                due_wall BIGINT,
                claimed_by TEXT,
                claimed_until BIGINT NOT NULL DEFAULT 0,
                CHECK (due_at IS NULL OR due_wall IS NULL)
            );
            CREATE INDEX notification_app ON notification (bundle_id, position);
            CREATE INDEX notification_sent ON notification (bundle_id, signed_at, position);
            CREATE INDEX notification_customer ON notification (bundle_id, customer_identifier, event_at);
            CREATE INDEX notification_due ON notification (bundle_id, due_at, position) WHERE due_at IS NOT NULL;
            CREATE INDEX notification_due_wall ON notification (bundle_id, due_wall) WHERE due_wall IS NOT NULL;
            CREATE INDEX notification_claimed ON notification (bundle_id, customer_identifier)
                WHERE claimed_by IS NOT NULL;

            CREATE TABLE attempt (
                id TEXT PRIMARY KEY,
                uuid TEXT NOT NULL REFERENCES notification (uuid),
                number INTEGER NOT NULL,
                attempted_at BIGINT NOT NULL,
                is_leased INTEGER NOT NULL DEFAULT 0,
                result TEXT,
                http_status INTEGER,
                duration_ms INTEGER,
                body_start TEXT,
                UNIQUE (uuid, number)
            );
            """)
}

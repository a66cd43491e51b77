import Persistence
import ServiceDatabase

/// The schema of AppStoreServer's database.
///
/// `docs/schema/app-store-server.sql` shows the tables of both engines.
///
/// - Instants are milliseconds since 1970.
/// - `app_key` has the keys of apps: public halves and digests, no secrets.
/// - `signing_authority` has the store's own certificates, `signing_state` their versions, the OCSP responder's mode and
///   the store's address.
/// - `server_api_…` has the App Store Server API's issuer, apps, faults to give and counts of requests.
///   `server_api_app.expires_at` is when an isolated store ends, with all keys of its app.
/// - `outbox_reader` has one row, the last of PaymentQueue's server events that is stored.
/// - `notification.due_at` is when the next attempt is due by the app's clock, `due_wall` by the wall clock. At most
///   one of them is set. `claimed_by` and `claimed_until` say which attempt is under way and until when its process has
///   to end it. `source` is the event that an isolated store's notification was made of, so that an event read again
///   does not make another one. Elsewhere the notification's own `uuid` is made of it.
/// - `notification_payload.draft` is made of the event, and `payload` is signed and sent, but null until then. They
///   have a table of their own, so that an attempt does not write them again with the notification's row.
/// - The indexes of attempts under way and of a customer's last signature cost the same for any number of rows.
/// - `attempt.result` is null while it is under way.
enum AppStoreServerSchema {
    /// Whose database it is, in errors.
    static let owner = "app-store-server"

    static let migrations = [
        Migration(number: 1, name: "0.1.0") { sql in
            """
            \(AppRows.table)
            CREATE TABLE app_key (
                key_identifier TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                digest TEXT,
                public_key TEXT
            );
            CREATE INDEX app_key_bundle_id ON app_key (bundle_id);

            CREATE TABLE signing_authority (
                name TEXT PRIMARY KEY,
                root_certificate BLOB NOT NULL,
                intermediate_certificate BLOB NOT NULL,
                leaf_certificate BLOB NOT NULL,
                root_key BLOB NOT NULL,
                intermediate_key BLOB NOT NULL,
                leaf_key BLOB NOT NULL,
                created_at BIGINT NOT NULL
            );
            CREATE TABLE signing_state (
                name TEXT PRIMARY KEY,
                version BIGINT NOT NULL,
                ocsp_mode TEXT NOT NULL,
                public_url TEXT
            );

            CREATE TABLE server_api_issuer (name TEXT PRIMARY KEY, issuer_id TEXT NOT NULL);
            CREATE TABLE server_api_app (
                bundle_id TEXT PRIMARY KEY,
                environment TEXT NOT NULL,
                app_apple_id BIGINT,
                rate_limits TEXT,
                expires_at BIGINT
            );
            CREATE TABLE server_api_fault (
                position INTEGER PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                path TEXT,
                error_code BIGINT,
                outcome TEXT,
                remaining INTEGER NOT NULL CHECK (remaining >= 0),
                CHECK ((error_code IS NULL) <> (outcome IS NULL))
            );
            CREATE INDEX server_api_fault_app ON server_api_fault (bundle_id, position);
            CREATE TABLE server_api_rate (
                bundle_id TEXT NOT NULL,
                operation TEXT NOT NULL,
                hour BIGINT NOT NULL,
                requests BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, operation)
            );

            CREATE TABLE outbox_reader (name TEXT PRIMARY KEY, position TEXT NOT NULL);

            CREATE TABLE endpoint (bundle_id TEXT PRIMARY KEY, body TEXT NOT NULL);

            CREATE TABLE notification (
                position INTEGER PRIMARY KEY,
                uuid TEXT NOT NULL,
                source TEXT,
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT,
                account TEXT,
                type TEXT NOT NULL,
                subtype TEXT,
                event_at BIGINT NOT NULL,
                signed_at BIGINT NOT NULL,
                state TEXT NOT NULL
                    CHECK \(sql.oneOf("state", "pending", "retrying", "delivered", "failed", "noEndpoint")),
                attempts INTEGER NOT NULL DEFAULT 0,
                due_at BIGINT,
                due_wall BIGINT,
                claimed_by TEXT,
                claimed_until BIGINT NOT NULL DEFAULT 0,
                UNIQUE (uuid, bundle_id),
                CHECK (due_at IS NULL OR due_wall IS NULL)
            );
            CREATE INDEX notification_app ON notification (bundle_id, position);
            CREATE INDEX notification_sent ON notification (bundle_id, signed_at, position);
            CREATE INDEX notification_customer
                ON notification (bundle_id, customer_identifier, event_at, signed_at);
            CREATE INDEX notification_due ON notification (bundle_id, due_at, position) WHERE due_at IS NOT NULL;
            CREATE INDEX notification_due_wall ON notification (bundle_id, due_wall) WHERE due_wall IS NOT NULL;
            CREATE INDEX notification_attempt ON notification (bundle_id, claimed_by, customer_identifier)
                WHERE claimed_by IS NOT NULL;
            CREATE UNIQUE INDEX notification_source ON notification (source) WHERE source IS NOT NULL;

            CREATE TABLE notification_payload (
                position INTEGER PRIMARY KEY,
                draft TEXT NOT NULL,
                payload TEXT
            );

            CREATE TABLE attempt (
                id TEXT PRIMARY KEY,
                position BIGINT NOT NULL REFERENCES notification (position),
                number INTEGER NOT NULL,
                attempted_at BIGINT NOT NULL,
                is_leased INTEGER NOT NULL DEFAULT 0,
                url TEXT NOT NULL,
                result TEXT,
                http_status INTEGER,
                duration_ms INTEGER,
                body_start TEXT,
                UNIQUE (position, number)
            );
            """
        }
    ]
}

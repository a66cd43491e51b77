import Persistence

/// The schema of the gateway's database.
///
/// `docs/schema/gateway.sql` shows the tables of both engines.
///
/// - `app_key` has the keys of apps.
/// - `signing_authority` has the store's own certificates, `signing_state` their versions and the OCSP responder's mode.
/// - `server_api_…` has the App Store Server API's issuer, apps, faults to give and counts of requests.
/// - `isolated_store` has the isolated stores, `chaos_run` the runs of `storebus chaos run`.
enum GatewaySchema {
    static let migrations = [
        Migration(number: 1, name: "0.1.0", counters: ["isolated_store": 0]) { sql in
            """
            CREATE TABLE app_key (
                key_identifier TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                digest BLOB,
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
                ocsp_mode TEXT NOT NULL
            );

            CREATE TABLE server_api_issuer (name TEXT PRIMARY KEY, issuer_id TEXT NOT NULL);
            CREATE TABLE server_api_app (
                bundle_id TEXT PRIMARY KEY,
                environment TEXT NOT NULL,
                app_apple_id BIGINT,
                rate_limits TEXT
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

            CREATE TABLE isolated_store (
                number BIGINT PRIMARY KEY,
                bundle_id TEXT NOT NULL UNIQUE,
                state TEXT NOT NULL CHECK \(sql.oneOf("state", "making", "open", "removing")),
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                claimed_until BIGINT NOT NULL
            );
            CREATE TABLE chaos_run (
                run_id TEXT PRIMARY KEY,
                started_at BIGINT NOT NULL,
                summary TEXT NOT NULL,
                report TEXT NOT NULL
            );
            CREATE INDEX chaos_run_started ON chaos_run (started_at);
            """
        }
    ]
}

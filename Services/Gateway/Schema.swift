import GatewayEdge
import Persistence

extension GatewaySchema {
    /// The tables `isolated_store` of isolated stores, `app_deletion` of apps that are being deleted, and `chaos_run`
    /// of the runs of `storebus chaos run`. `app_deletion_number` has one row, the number of the last deletion.
    ///
    /// `docs/schema/gateway.sql` shows them for both engines.
    static let migrations = [
        Migration(number: 1, name: "0.1.0", counters: ["isolated_store": 0]) { sql in
            """
            CREATE TABLE isolated_store (
                number BIGINT PRIMARY KEY,
                bundle_id TEXT NOT NULL UNIQUE,
                state TEXT NOT NULL CHECK \(sql.oneOf("state", "making", "open", "snapshot", "removing")),
                snapshot TEXT,
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                claimed_until BIGINT NOT NULL,
                CHECK ((state = 'snapshot') = (snapshot IS NOT NULL))
            );
            CREATE UNIQUE INDEX isolated_store_snapshot ON isolated_store (snapshot) WHERE snapshot IS NOT NULL;
            CREATE TABLE app_deletion (
                number BIGINT PRIMARY KEY,
                bundle_id TEXT NOT NULL UNIQUE,
                begun_at BIGINT NOT NULL,
                claimed_until BIGINT NOT NULL,
                problem TEXT
            );
            CREATE TABLE app_deletion_number (id BIGINT PRIMARY KEY CHECK (id = 1), last BIGINT NOT NULL);
            INSERT INTO app_deletion_number (id, last) VALUES (1, 0);
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

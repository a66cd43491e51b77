import Persistence

extension Migration {
    /// The intent that each start has led to, including one that existed already.
    static let purchaseStarts = Migration(
        number: 5, name: "the keys of starts",
        sql: """
            CREATE TABLE purchase_start (
                device_id TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                request_identifier TEXT NOT NULL,
                intent_identifier TEXT NOT NULL,
                started_at BIGINT NOT NULL,
                PRIMARY KEY (device_id, bundle_id, request_identifier)
            );
            CREATE INDEX purchase_start_age ON purchase_start (started_at);
            """)
}

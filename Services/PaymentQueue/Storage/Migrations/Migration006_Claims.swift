import Persistence

extension Migration {
    /// The replica that works on a purchase, and until when (``PurchaseClaims``).
    ///
    /// On PostgreSQL a new row begins with the moment it was written, by the server's clock. SQLite has one process and
    /// needs neither.
    static let claims = Migration(
        number: 6, name: "replicas divide the work",
        sql: """
            ALTER TABLE payment_transaction ADD COLUMN claimed_by TEXT;
            ALTER TABLE payment_transaction ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
            """,
        postgres: """
            ALTER TABLE payment_transaction ADD COLUMN claimed_by TEXT COLLATE "C";
            ALTER TABLE payment_transaction ADD COLUMN claimed_until BIGINT NOT NULL DEFAULT 0;
            ALTER TABLE payment_transaction ALTER COLUMN claimed_until
                SET DEFAULT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT);
            """)
}

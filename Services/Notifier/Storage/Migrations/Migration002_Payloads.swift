import Persistence

extension Migration {
    /// A table for what is signed, so that an attempt does not write it again with the notification's row, and indexes
    /// for attempts under way and a customer's last signature, which the number of rows does not slow down.
    ///
    /// - `draft` is what was known of the event, `payload` what was signed and is sent; null until then.
    static let payloads = Migration(
        number: 2, name: "payloads of notifications",
        sql: """
            CREATE TABLE notification_payload (
                position INTEGER PRIMARY KEY,
                draft TEXT NOT NULL,
                payload TEXT
            );
            INSERT INTO notification_payload (position, draft, payload)
                SELECT position, draft, payload FROM notification;
            ALTER TABLE notification DROP COLUMN draft;
            ALTER TABLE notification DROP COLUMN payload;
            DROP INDEX notification_customer;
            CREATE INDEX notification_customer
                ON notification (bundle_id, customer_identifier, event_at, signed_at);
            DROP INDEX notification_claimed;
            CREATE INDEX notification_attempt ON notification (bundle_id, claimed_by, customer_identifier)
                WHERE claimed_by IS NOT NULL;
            """)
}

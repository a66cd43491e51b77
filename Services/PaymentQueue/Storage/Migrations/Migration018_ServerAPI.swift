import Persistence

extension Migration {
    /// What the App Store Server API asks for: the order of changes, and a number for each customer's app.
    ///
    /// A transaction's place among its customer's changes moves with each change that a signed transaction shows. The
    /// index that finds a customer's transactions has it too, so that a page needs no index of its own.
    static let serverAPI = Migration(
        number: 18, name: "the order of changes and app transactions",
        sql: """
            \(changes)
            INSERT INTO counter (name, value) SELECT 'app_transaction', 7000000000000000000 + COUNT(*) FROM customer;
            """,
        postgres: """
            \(changes)
            CREATE SEQUENCE counter_app_transaction;
            SELECT setval('counter_app_transaction', 7000000000000000000 + COUNT(*)) FROM customer;
            """)

    private static let changes = """
        ALTER TABLE payment_transaction ADD COLUMN modified_seq BIGINT;
        UPDATE payment_transaction SET modified_seq = history_seq WHERE state = 'purchased';
        DROP INDEX payment_transaction_history;
        CREATE INDEX payment_transaction_history
            ON payment_transaction (bundle_id, customer_identifier, transaction_number, modified_seq)
            WHERE transaction_number IS NOT NULL;

        ALTER TABLE customer ADD COLUMN modified_seq BIGINT NOT NULL DEFAULT 0;
        UPDATE customer SET modified_seq = head_seq;
        ALTER TABLE customer ADD COLUMN app_transaction_number BIGINT;
        UPDATE customer SET app_transaction_number = 7000000000000000000 + n.place FROM (
            SELECT bundle_id, customer_identifier,
                ROW_NUMBER() OVER (ORDER BY created_at, bundle_id, customer_identifier) AS place
            FROM customer) AS n
        WHERE n.bundle_id = customer.bundle_id AND n.customer_identifier = customer.customer_identifier;
        CREATE UNIQUE INDEX customer_app_transaction ON customer (app_transaction_number)
            WHERE app_transaction_number IS NOT NULL;
        """
}

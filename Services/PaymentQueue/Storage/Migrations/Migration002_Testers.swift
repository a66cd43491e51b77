import Persistence

extension Migration {
    /// Testers, prompts and events.
    ///
    /// - `customer.can_make_payments` is dropped: the tester's settings hold it, and no version wrote another value.
    /// - No process acts on a transaction that `awaits_answer` before its prompt is answered; its `phase` says what
    ///   follows, also for a deferred transaction.
    /// - `journal.position` is a row's place among the events of the whole store. Rows from before this migration and
    ///   removals by an operator are no events and have none.
    static let testers = Migration(
        number: 2, name: "testers, prompts and events",
        sql: """
            CREATE TABLE tester (
                account TEXT PRIMARY KEY,
                settings TEXT NOT NULL,
                updated_at BIGINT NOT NULL
            );

            ALTER TABLE customer DROP COLUMN can_make_payments;
            CREATE INDEX customer_account ON customer (account, storefront);

            ALTER TABLE payment_transaction ADD COLUMN awaits_answer INTEGER NOT NULL DEFAULT 0
                CHECK (awaits_answer = 0 OR phase IN ('charging', 'granting'));
            DROP INDEX payment_transaction_purchasing;
            CREATE INDEX payment_transaction_open ON payment_transaction (id) WHERE phase <> 'settled';

            CREATE TABLE prompt (
                id TEXT PRIMARY KEY,
                kind TEXT NOT NULL CHECK (kind IN ('sheet', 'signIn', 'askToBuy', 'interrupted', 'appPurchase')),
                next_kind TEXT CHECK (next_kind IN ('sheet', 'signIn', 'askToBuy', 'interrupted', 'appPurchase')),
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
                created_at BIGINT NOT NULL,
                FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier)
            );

            CREATE INDEX owned_product_transaction ON owned_product (transaction_id);
            CREATE INDEX subscription_group_original ON subscription_group (original_id);

            ALTER TABLE journal ADD COLUMN position BIGINT;
            ALTER TABLE journal ADD COLUMN event TEXT CHECK (
                event IS NULL AND position IS NULL
                OR position IS NOT NULL
                AND event IN ('purchasing', 'purchased', 'failed', 'deferred', 'restored', 'finished'));
            CREATE UNIQUE INDEX journal_position ON journal (position);

            INSERT INTO counter (name, value) VALUES ('event', 0), ('prompt', 0);
            """,
        counters: ["prompt"])
}

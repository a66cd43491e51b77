import Persistence

extension Migration {
    /// Accounts, payments, transactions and the journal.
    static let accounts = Migration(
        number: 1, name: "accounts, payments, transactions and journal",
        sql: """
            CREATE TABLE app_clock (
                bundle_id TEXT PRIMARY KEY,
                epoch BIGINT NOT NULL,
                anchor_wall BIGINT NOT NULL,
                anchor_business BIGINT NOT NULL,
                rate_millionths BIGINT NOT NULL CHECK (rate_millionths >= 0)
            );

            CREATE TABLE customer (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                account TEXT NOT NULL,
                storefront TEXT NOT NULL,
                can_make_payments INTEGER NOT NULL,
                head_seq BIGINT NOT NULL DEFAULT 0,
                pruned_seq BIGINT NOT NULL DEFAULT 0,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, customer_identifier),
                UNIQUE (bundle_id, account),
                CHECK (pruned_seq <= head_seq)
            );

            CREATE TABLE payment_transaction (
                id TEXT PRIMARY KEY,
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                created_seq BIGINT NOT NULL,
                state TEXT NOT NULL CHECK (state IN ('purchasing', 'purchased', 'failed', 'restored', 'deferred')),
                phase TEXT NOT NULL CHECK (phase IN ('waiting', 'charging', 'granting', 'quarantined', 'settled')),
                is_finished INTEGER NOT NULL DEFAULT 0,
                revision INTEGER NOT NULL,
                deliveries INTEGER NOT NULL DEFAULT 0,
                product_identifier TEXT NOT NULL,
                origin_device_id TEXT NOT NULL,
                transaction_number BIGINT UNIQUE,
                terms TEXT,
                quote TEXT,
                body TEXT NOT NULL,
                FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
                UNIQUE (bundle_id, customer_identifier, created_seq),
                CHECK ((state IN ('purchased', 'restored')) = (transaction_number IS NOT NULL)),
                CHECK (is_finished = 0 OR state IN ('purchased', 'failed', 'restored'))
            );
            CREATE INDEX payment_transaction_unfinished
                ON payment_transaction (bundle_id, customer_identifier, created_seq) WHERE is_finished = 0;
            CREATE INDEX payment_transaction_history
                ON payment_transaction (bundle_id, customer_identifier, transaction_number)
                WHERE transaction_number IS NOT NULL;
            CREATE INDEX payment_transaction_purchasing ON payment_transaction (id) WHERE state = 'purchasing';

            CREATE TABLE payment (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                request_key TEXT NOT NULL,
                fingerprint TEXT NOT NULL,
                intent_identifier TEXT,
                transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
                answer_status INTEGER,
                answer_body TEXT,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, customer_identifier, request_key),
                UNIQUE (bundle_id, intent_identifier),
                CHECK ((answer_status IS NULL) = (answer_body IS NULL))
            );

            CREATE TABLE journal (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                seq BIGINT NOT NULL,
                transaction_id TEXT NOT NULL,
                revision INTEGER NOT NULL,
                kind TEXT NOT NULL CHECK (kind IN ('updated', 'removed')),
                body TEXT NOT NULL,
                written_at BIGINT NOT NULL,
                PRIMARY KEY (bundle_id, customer_identifier, seq)
            );
            CREATE INDEX journal_age ON journal (written_at);

            CREATE TABLE offer_claim (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                subscription_group TEXT NOT NULL,
                transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
                state TEXT NOT NULL CHECK (state IN ('reserved', 'consumed')),
                transaction_identifier TEXT,
                PRIMARY KEY (bundle_id, customer_identifier, subscription_group),
                CHECK ((state = 'consumed') = (transaction_identifier IS NOT NULL))
            );

            CREATE TABLE purchase_slot (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                product_identifier TEXT NOT NULL,
                transaction_id TEXT NOT NULL UNIQUE REFERENCES payment_transaction (id),
                PRIMARY KEY (bundle_id, customer_identifier, product_identifier)
            );

            CREATE TABLE owned_product (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                product_identifier TEXT NOT NULL,
                transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
                transaction_identifier TEXT NOT NULL,
                PRIMARY KEY (bundle_id, customer_identifier, product_identifier)
            );

            CREATE TABLE subscription_group (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                subscription_group TEXT NOT NULL,
                original_id TEXT NOT NULL REFERENCES payment_transaction (id),
                active_product TEXT NOT NULL,
                active_level INTEGER NOT NULL,
                active_until BIGINT NOT NULL,
                active_transaction TEXT NOT NULL,
                PRIMARY KEY (bundle_id, customer_identifier, subscription_group)
            );

            CREATE TABLE counter (name TEXT PRIMARY KEY, value BIGINT NOT NULL);
            INSERT INTO counter (name, value) VALUES ('transaction', 2000000000000000);
            """,
        counters: ["transaction"])
}

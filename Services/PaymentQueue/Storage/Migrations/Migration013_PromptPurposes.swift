import Persistence

extension Migration {
    /// Prompts for more than a purchase in progress, and several prompts in a row.
    ///
    /// - `next_kinds` are the prompts that follow once this one is approved, separated by commas.
    /// - `purpose` lets a transaction have one open prompt for its purchase, one for signing in again when it is
    ///   delivered again, and one for the price of the subscription whose latest transaction it is.
    /// - `subscription.price` is the price its subscriber agreed to, and the higher one that needs consent; null for
    ///   one sold before, which the next renewal fills in.
    /// - `times` counts sign-in prompts.
    static let promptPurposes = Migration(
        number: 13, name: "prompts for more than a purchase", sql: sql)

    private static let sql = """
        CREATE TABLE prompt_next (
            id TEXT PRIMARY KEY,
            kind TEXT NOT NULL,
            purpose TEXT NOT NULL CHECK (purpose IN ('purchase', 'redelivery', 'priceConsent')),
            next_kinds TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            customer_identifier TEXT NOT NULL,
            transaction_id TEXT NOT NULL REFERENCES payment_transaction (id),
            times INTEGER NOT NULL DEFAULT 1,
            created_at BIGINT NOT NULL,
            FOREIGN KEY (bundle_id, customer_identifier) REFERENCES customer (bundle_id, customer_identifier),
            UNIQUE (transaction_id, purpose)
        );
        INSERT INTO prompt_next (id, kind, purpose, next_kinds, bundle_id, customer_identifier, transaction_id, created_at)
        SELECT id, kind, 'purchase', COALESCE(next_kind, ''), bundle_id, customer_identifier, transaction_id, created_at
        FROM prompt;
        DROP TABLE prompt;
        ALTER TABLE prompt_next RENAME TO prompt;
        ALTER TABLE subscription ADD COLUMN price TEXT;
        ALTER TABLE payment_transaction ADD COLUMN sign_ins INTEGER NOT NULL DEFAULT 0;
        """
}

extension PaymentQueueSchema {
    /// Prompts about other things than a purchase under way, and more than one person to ask after another.
    ///
    /// - `next_kinds` is who is asked after this one has agreed, separated by commas.
    /// - `purpose` lets a transaction have one open prompt for its purchase, one for signing in again when it is delivered
    ///   again, and one for the price of the subscription it is the latest of.
    /// - `subscription.price` is what its subscriber has agreed to, and what they are asked; null for one sold before, which
    ///   the next renewal fills in.
    /// - `times` counts how often people were asked to sign in again.
    static let promptPurposes = """
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

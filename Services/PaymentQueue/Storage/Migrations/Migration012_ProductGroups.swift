import Persistence

extension Migration {
    /// Subscriptions and introductory offers by product, independent of changes to the groups.
    ///
    /// - Until this step a subscription was paid in the group it began in and in no other.
    /// - `offer_claim.product_identifier` is null where an earlier version let an offer be used again after its product
    ///   was moved: the first of those claims names the product.
    static let productGroups = Migration(
        number: 12, name: "subscriptions and offers by product, independent of their group",
        sql: """
            ALTER TABLE subscription ADD COLUMN paid_group TEXT NOT NULL DEFAULT '';
            UPDATE subscription SET paid_group = subscription_group;

            CREATE TABLE paid_group (
                bundle_id TEXT NOT NULL,
                customer_identifier TEXT NOT NULL,
                original_id TEXT NOT NULL REFERENCES subscription (original_id),
                product_identifier TEXT NOT NULL,
                subscription_group TEXT NOT NULL,
                PRIMARY KEY (original_id, product_identifier, subscription_group)
            );
            CREATE INDEX paid_group_customer ON paid_group (bundle_id, customer_identifier);
            INSERT INTO paid_group (bundle_id, customer_identifier, original_id, product_identifier, subscription_group)
            SELECT s.bundle_id, s.customer_identifier, s.original_id, s.product_identifier, s.subscription_group
            FROM subscription s
            UNION
            SELECT s.bundle_id, s.customer_identifier, s.original_id, t.product_identifier, s.subscription_group
            FROM subscription s
            JOIN subscription_period p ON p.original_id = s.original_id
            JOIN payment_transaction t ON t.id = p.transaction_id;

            ALTER TABLE offer_claim ADD COLUMN product_identifier TEXT;
            UPDATE offer_claim SET product_identifier = (
                SELECT t.product_identifier FROM payment_transaction t
                WHERE t.id = offer_claim.transaction_id
                    AND NOT EXISTS (
                        SELECT 1 FROM offer_claim f JOIN payment_transaction o ON o.id = f.transaction_id
                        WHERE f.bundle_id = t.bundle_id AND f.customer_identifier = t.customer_identifier
                            AND o.product_identifier = t.product_identifier AND o.created_seq < t.created_seq));
            CREATE UNIQUE INDEX offer_claim_product
                ON offer_claim (bundle_id, customer_identifier, product_identifier);
            """)
}

import Persistence

extension Migration {
    /// Charge keys beside the transactions, and refunds that outlive their purchase.
    ///
    /// A renewal whose subscription was deleted has lost its period and the charge's key with it; the key is in its
    /// payment. A client may have sent such a key with a purchase, but then that purchase has a row in `payment`, or
    /// supersedes one that has. Refunds that are still open may have been written with the wrong key.
    static let chargeKeys = Migration(
        number: 15, name: "charge keys beside what was charged, refunds that outlive it", sql: sql(.sqlite),
        postgres: sql(.postgres))

    private static func sql(_ dialect: SQLDialect) -> String {
        let isPostgres = dialect == .postgres
        let (text, requestKey) =
            isPostgres
            ? ("TEXT COLLATE \"C\"", "body::json #>> '{payment,requestIdentifier}'")
            : ("TEXT", "json_extract(body, '$.payment.requestIdentifier')")
        let (big, integer) = ("BIGINT", isPostgres ? "BIGINT" : "INTEGER")
        return """
            ALTER TABLE payment_transaction ADD COLUMN charge_key \(text) NOT NULL DEFAULT '';
            UPDATE payment_transaction SET charge_key = 'purchase:' || id;
            UPDATE payment_transaction SET charge_key = p.charge_key FROM subscription_period p
            WHERE p.transaction_id = payment_transaction.id AND p.charge_key IS NOT NULL;
            UPDATE payment_transaction SET charge_key = \(requestKey)
            WHERE state = 'purchased' AND supersedes IS NULL
                AND NOT EXISTS (SELECT 1 FROM payment p WHERE p.transaction_id = payment_transaction.id)
                AND NOT EXISTS (SELECT 1 FROM subscription_period p WHERE p.transaction_id = payment_transaction.id)
                AND \(requestKey) LIKE 'renew:%';

            CREATE TABLE refund_next (
                refund_key \(text) PRIMARY KEY,
                bundle_id \(text) NOT NULL,
                customer_identifier \(text) NOT NULL,
                charge_key \(text) NOT NULL,
                transaction_id \(text) NOT NULL,
                amount_minor \(big) NOT NULL CHECK (amount_minor > 0),
                currency \(text) NOT NULL,
                is_done \(integer) NOT NULL DEFAULT 0,
                created_at \(big) NOT NULL
            );
            INSERT INTO refund_next (refund_key, bundle_id, customer_identifier, charge_key, transaction_id,
                amount_minor, currency, is_done, created_at)
            SELECT r.refund_key, r.bundle_id, r.customer_identifier,
                CASE WHEN r.is_done = 0 THEN t.charge_key ELSE r.charge_key END, r.transaction_id, r.amount_minor,
                r.currency, r.is_done, r.created_at
            FROM refund r JOIN payment_transaction t ON t.id = r.transaction_id;
            DROP TABLE refund;
            ALTER TABLE refund_next RENAME TO refund;
            CREATE INDEX refund_open ON refund (refund_key) WHERE is_done = 0;
            CREATE INDEX refund_transaction ON refund (transaction_id);
            """
    }
}

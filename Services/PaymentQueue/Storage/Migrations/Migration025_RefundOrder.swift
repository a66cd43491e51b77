import Persistence

extension Migration {
    /// The order of a customer's refunds, which later changes of a refunded purchase leave as it is.
    static let refundOrder = Migration(
        number: 25, name: "the order of refunds",
        sql: """
            ALTER TABLE payment_transaction ADD COLUMN refund_seq BIGINT;
            UPDATE payment_transaction SET refund_seq = modified_seq WHERE body LIKE '%"revocationType":"REFUND%';
            CREATE INDEX payment_transaction_refunds ON payment_transaction (bundle_id, customer_identifier, refund_seq)
                WHERE refund_seq IS NOT NULL;
            """)
}

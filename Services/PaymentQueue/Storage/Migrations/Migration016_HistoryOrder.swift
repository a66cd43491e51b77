import Persistence

extension Migration {
    /// The place of a purchased or restored transaction in its customer's history: its journal row's number.
    ///
    /// The customer's lock numbers journal rows, so a later commit has a later place. A transaction's number does not
    /// have that order, because a renewal takes its own before the processor is asked. Existing transactions keep their
    /// order, before each later journal row.
    static let historyOrder = Migration(
        number: 16, name: "the order in which histories grow",
        sql: """
            ALTER TABLE payment_transaction ADD COLUMN history_seq BIGINT;
            UPDATE payment_transaction SET history_seq = h.place FROM (
                SELECT id, ROW_NUMBER() OVER (
                    PARTITION BY bundle_id, customer_identifier ORDER BY transaction_number) AS place
                FROM payment_transaction WHERE transaction_number IS NOT NULL) AS h
            WHERE h.id = payment_transaction.id;
            CREATE UNIQUE INDEX payment_transaction_history_order
                ON payment_transaction (bundle_id, customer_identifier, history_seq) WHERE history_seq IS NOT NULL;
            """)
}

import Persistence

extension Migration {
    /// An index of waiting purchases. Each settled purchase looks for them, and without the index that reads all that
    /// the customer has not finished.
    static let waitingIndex = Migration(
        number: 3, name: "an index of purchases that wait",
        sql: """
            CREATE INDEX payment_transaction_waiting
                ON payment_transaction (bundle_id, customer_identifier, product_identifier, created_seq)
                WHERE phase = 'waiting';
            """)
}

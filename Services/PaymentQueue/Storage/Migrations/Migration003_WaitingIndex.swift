import Persistence

extension Migration {
    /// An index of waiting purchases.
    ///
    /// The service looks for them after each settled purchase. Without the index it reads all unfinished transactions
    /// of the customer.
    static let waitingIndex = Migration(
        number: 3, name: "an index of purchases that wait",
        sql: """
            CREATE INDEX payment_transaction_waiting
                ON payment_transaction (bundle_id, customer_identifier, product_identifier, created_seq)
                WHERE phase = 'waiting';
            """)
}

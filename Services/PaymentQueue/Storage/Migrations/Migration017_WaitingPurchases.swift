import Persistence

extension Migration {
    /// The transaction whose end a waiting purchase waits for.
    ///
    /// The end's commit clears the column, and no sweep reads the purchase before that. Purchases that wait already get
    /// it when they are next planned.
    ///
    /// The index of unsettled purchases leaves out those that wait, for an answer or for another purchase, so that the
    /// search for work costs the same regardless of their number.
    static let waitingPurchases = Migration(
        number: 17, name: "what purchases wait for",
        sql: """
            ALTER TABLE payment_transaction ADD COLUMN waits_for TEXT;
            DROP INDEX payment_transaction_open;
            CREATE INDEX payment_transaction_unsettled ON payment_transaction (id)
                WHERE phase <> 'settled' AND awaits_answer = 0 AND waits_for IS NULL;
            CREATE INDEX payment_transaction_waits_for ON payment_transaction (waits_for) WHERE waits_for IS NOT NULL;
            """)
}

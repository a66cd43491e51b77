extension PaymentQueueSchema {
    /// The transaction whose end a waiting purchase waits for. Its end clears the column, in the same commit, and no
    /// sweep looks at the purchase before that. Purchases that wait already find out when they are next looked at.
    ///
    /// The index of what is left to do holds nothing that waits, neither for a person's answer nor for another purchase:
    /// however much of that there is, looking for work costs the same.
    static let waitingPurchases = """
        ALTER TABLE payment_transaction ADD COLUMN waits_for TEXT;
        DROP INDEX payment_transaction_open;
        CREATE INDEX payment_transaction_unsettled ON payment_transaction (id)
            WHERE phase <> 'settled' AND awaits_answer = 0 AND waits_for IS NULL;
        CREATE INDEX payment_transaction_waits_for ON payment_transaction (waits_for) WHERE waits_for IS NOT NULL;
        """
}

extension PaymentQueueSchema {
    /// Which promoted purchases have had their payment, also where the payment was cleared away since.
    static let tenth = """
        CREATE TABLE used_intent (
            bundle_id TEXT NOT NULL,
            intent_identifier TEXT NOT NULL,
            PRIMARY KEY (bundle_id, intent_identifier)
        );
        INSERT INTO used_intent (bundle_id, intent_identifier)
        SELECT bundle_id, intent_identifier FROM payment WHERE intent_identifier IS NOT NULL;
        """
}

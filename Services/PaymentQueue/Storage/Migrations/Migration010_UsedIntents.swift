import Persistence

extension Migration {
    /// Promoted purchases that have had their payment, including payments that were cleared since.
    static let usedIntents = Migration(
        number: 10, name: "promoted purchases that had their payment",
        sql: """
            CREATE TABLE used_intent (
                bundle_id TEXT NOT NULL,
                intent_identifier TEXT NOT NULL,
                PRIMARY KEY (bundle_id, intent_identifier)
            );
            INSERT INTO used_intent (bundle_id, intent_identifier)
            SELECT bundle_id, intent_identifier FROM payment WHERE intent_identifier IS NOT NULL;
            """)
}

import Persistence

/// The ledger's schema. `charge_number` counts from 1; rows are only ever added.
package enum PaymentProcessorSchema {
    package static let migrations = [
        Migration(
            number: 1, name: "ledger",
            sql: """
                CREATE TABLE charge (
                    charge_number INTEGER PRIMARY KEY,
                    charge_key TEXT NOT NULL UNIQUE,
                    outcome TEXT NOT NULL CHECK (outcome IN ('approved', 'declined', 'cancelled')),
                    amount_minor BIGINT,
                    currency TEXT,
                    bundle_id TEXT,
                    customer_identifier TEXT,
                    product_identifier TEXT,
                    decline_reason TEXT,
                    created_at BIGINT NOT NULL,
                    CHECK ((amount_minor IS NULL) = (currency IS NULL)),
                    CHECK (outcome = 'cancelled' OR amount_minor IS NOT NULL)
                );
                """)
    ]
}

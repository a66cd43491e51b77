import Persistence

/// The schema of the ledger.
///
/// `docs/schema/payment-processor.sql` shows the tables of both engines.
///
/// - Rows are only added. An outcome changes at most once, from `pending` or from an authorization.
/// - `charge.is_uncaptured` is 1 for a charge that was only authorized. A cancelled one was voided.
/// - The charge's lock ensures that its refunds never exceed it (P10), because a CHECK sees only one row.
package enum PaymentProcessorSchema {
    /// The SQL condition of an isolated store's charges, whose app's name has an `@`.
    static let isOfStore = "replace(bundle_id, '@', '') <> bundle_id"

    /// The migrations, in order.
    package static let migrations = [
        Migration(number: 1, name: "0.1.0") { sql in
            """
            CREATE TABLE charge (
                charge_number INTEGER PRIMARY KEY,
                charge_key TEXT NOT NULL UNIQUE,
                outcome TEXT NOT NULL CHECK \(sql.oneOf("outcome", "approved", "declined", "cancelled", "pending")),
                is_uncaptured INTEGER NOT NULL DEFAULT 0,
                amount_minor BIGINT,
                currency TEXT,
                bundle_id TEXT,
                customer_identifier TEXT,
                product_identifier TEXT,
                decline_reason TEXT,
                created_at BIGINT NOT NULL,
                due_at BIGINT,
                CHECK ((amount_minor IS NULL) = (currency IS NULL)),
                CHECK (outcome = 'cancelled' OR amount_minor IS NOT NULL),
                CHECK (outcome <> 'pending' OR due_at IS NOT NULL)
            );
            CREATE INDEX charge_store ON charge (bundle_id) WHERE \(isOfStore);
            CREATE INDEX charge_pending ON charge (due_at) WHERE outcome = 'pending';
            CREATE TABLE withheld_answer (
                charge_key TEXT PRIMARY KEY,
                created_at BIGINT NOT NULL
            );
            CREATE INDEX withheld_answer_created_at ON withheld_answer (created_at);
            CREATE TABLE refund (
                refund_number INTEGER PRIMARY KEY,
                refund_key TEXT NOT NULL UNIQUE,
                charge_key TEXT NOT NULL REFERENCES charge (charge_key),
                amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
                currency TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                reversed_at BIGINT
            );
            CREATE INDEX refund_charge ON refund (charge_key);
            """
        }
    ]
}

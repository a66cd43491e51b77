import Persistence

/// The schema of the ledger. Rows are only added; an outcome changes at most once, from `pending` or
/// from an authorization.
package enum PaymentProcessorSchema {
    /// The migrations, in order.
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
                """),
        Migration(
            number: 2, name: "pending charges, answers withheld",
            // Not every database can change a constraint in place, so the table is created again. The database assigns
            // `charge_number`.
            sql: """
                CREATE TABLE charge_2 (
                    charge_number INTEGER PRIMARY KEY,
                    charge_key TEXT NOT NULL UNIQUE,
                    outcome TEXT NOT NULL CHECK (outcome IN ('approved', 'declined', 'cancelled', 'pending')),
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
                INSERT INTO charge_2 (charge_number, charge_key, outcome, amount_minor, currency, bundle_id,
                    customer_identifier, product_identifier, decline_reason, created_at)
                SELECT charge_number, charge_key, outcome, amount_minor, currency, bundle_id, customer_identifier,
                    product_identifier, decline_reason, created_at
                FROM charge;
                DROP TABLE charge;
                ALTER TABLE charge_2 RENAME TO charge;
                CREATE INDEX charge_pending ON charge (due_at) WHERE outcome = 'pending';
                CREATE TABLE withheld_answer (
                    charge_key TEXT PRIMARY KEY,
                    created_at BIGINT NOT NULL
                );
                CREATE INDEX withheld_answer_created_at ON withheld_answer (created_at);
                """),
        Migration(
            number: 3, name: "refunds",
            // The charge's lock ensures that its refunds never exceed it (P10); a CHECK sees only one row.
            sql: """
                CREATE TABLE refund (
                    refund_number INTEGER PRIMARY KEY,
                    refund_key TEXT NOT NULL UNIQUE,
                    charge_key TEXT NOT NULL REFERENCES charge (charge_key),
                    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
                    currency TEXT NOT NULL,
                    created_at BIGINT NOT NULL
                );
                CREATE INDEX refund_charge ON refund (charge_key);
                """),
        Migration(
            number: 4, name: "reversals of refunds",
            sql: "ALTER TABLE refund ADD COLUMN reversed_at BIGINT;"),
        Migration(
            number: 5, name: "authorizations",
            // Whether a charge was only authorized; a cancelled one was voided. A constraint cannot be changed in place,
            // so this is no outcome of its own.
            sql: "ALTER TABLE charge ADD COLUMN is_uncaptured INTEGER NOT NULL DEFAULT 0;"),
    ]
}

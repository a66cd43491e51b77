import Persistence
import StoreModels

/// A period of a subscription that was bought, renewed or recovered.
///
/// It is a row, and one captured charge unless it was free (S1, S2).
struct SubscriptionPeriodRow: Hashable, Sendable {
    /// The number of periods before it.
    var index: Int
    /// The transaction's `id`.
    var id: String
    /// The transaction's identifier.
    var identifier: String
    var product: String
    /// The key of its charge at the processor; nil for a period that cost nothing.
    var chargeKey: String?
    /// The charged amount, zero included.
    var amount: Money
    var start: Timestamp
    var end: Timestamp
}

/// Reads and writes periods. Their primary key lets a period be paid once.
enum SubscriptionPeriodRepository {
    static func insert(
        _ period: SubscriptionPeriodRow, of subscription: StoredSubscription, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO subscription_period (bundle_id, customer_identifier, original_id, period_index, transaction_id,
                charge_key, amount_minor, currency, starts_at, ends_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, subscription.customer.bundleId, subscription.customer.customerIdentifier, subscription.originalID,
            period.index, period.id, period.chargeKey, period.amount.minorUnits, period.amount.currency.code,
            period.start.milliseconds, period.end.milliseconds)
    }

    /// Writes a later end of a period.
    static func setEnd(
        _ end: Timestamp, ofPeriod index: Int, of originalID: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            "UPDATE subscription_period SET ends_at = ? WHERE original_id = ? AND period_index = ?", end.milliseconds,
            originalID, index)
    }

    /// Ends all periods at an instant. A later period gets no length.
    static func cut(
        at end: Timestamp, of originalID: String, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            UPDATE subscription_period SET ends_at = CASE WHEN starts_at > ? THEN starts_at ELSE ? END
            WHERE original_id = ? AND ends_at > ?
            """, end.milliseconds, end.milliseconds, originalID, end.milliseconds)
    }

    /// Reads start and end of a subscription's periods, in order.
    static func all(
        of originalID: String, in reader: SQLReader
    ) async throws -> [(start: Timestamp, end: Timestamp)] {
        try await reader.query(
            "SELECT starts_at, ends_at FROM subscription_period WHERE original_id = ? ORDER BY period_index", originalID
        ).map { row in
            (
                start: Timestamp(milliseconds: try row["starts_at"]),
                end: Timestamp(milliseconds: try row["ends_at"])
            )
        }
    }

    /// A period that is not the latest one.
    struct Other: Hashable, Sendable {
        var id: String
        var index: Int
        var start: Timestamp
        var end: Timestamp
    }

    /// Reads the periods other than the latest one that are not over at an instant.
    ///
    /// They exist when an operator has renewed early, or the clock was set back.
    static func others(
        than known: StoredSubscription, endingAfter instant: Timestamp, in reader: SQLReader
    ) async throws -> [Other] {
        try await reader.query(
            """
            SELECT transaction_id, period_index, starts_at, ends_at FROM subscription_period
            WHERE original_id = ? AND period_index <> ? AND ends_at > ? ORDER BY period_index
            """, known.originalID, known.period.index, instant.milliseconds
        ).map { row in
            Other(
                id: try row["transaction_id"], index: try row["period_index"],
                start: Timestamp(milliseconds: try row["starts_at"]),
                end: Timestamp(milliseconds: try row["ends_at"]))
        }
    }

    /// A period that a transaction has paid.
    struct Paid: Hashable, Sendable {
        var originalID: String
        var index: Int
        var start: Timestamp
        var end: Timestamp
    }

    /// Finds the period a transaction has paid.
    static func find(
        transactionID: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Paid? {
        guard
            let row = try await reader.queryOne(
                """
                SELECT original_id, period_index, starts_at, ends_at FROM subscription_period
                WHERE transaction_id = ?
                """,
                transactionID)
        else { return nil }
        return Paid(
            originalID: try row["original_id"], index: try row["period_index"],
            start: Timestamp(milliseconds: try row["starts_at"]), end: Timestamp(milliseconds: try row["ends_at"]))
    }

    /// Reads transactions of later periods that are not over at an instant, the last first.
    static func later(
        than paid: Paid, endingAfter instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        var identifiers: [String] = []
        for row in try await reader.query(
            """
            SELECT transaction_id FROM subscription_period
            WHERE original_id = ? AND period_index > ? AND ends_at > ? ORDER BY period_index DESC
            """, paid.originalID, paid.index, instant.milliseconds)
        {
            identifiers.append(try row["transaction_id"])
        }
        return identifiers
    }
}

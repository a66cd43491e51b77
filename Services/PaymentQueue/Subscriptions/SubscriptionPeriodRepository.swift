import Persistence
import StoreModels

/// Reads and writes periods. Their primary key lets a period be paid once.
enum SubscriptionPeriodRepository {
    static func insert(
        _ period: SubscriptionPaid, index: Int, of subscription: StoredSubscription, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO subscription_period (bundle_id, customer_identifier, original_id, period_index, transaction_id,
                charge_key, amount_minor, currency, starts_at, ends_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, subscription.customer.bundleId, subscription.customer.customerIdentifier, subscription.originalID,
            index, period.id, period.chargeKey, period.amount.minorUnits, period.amount.currency.code,
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
            (start: try row["starts_at"], end: try row["ends_at"])
        }
    }

    /// A period as stored, under the transaction that has paid it.
    struct Stored: Hashable, Sendable {
        var id: String
        var originalID: String
        var index: Int
        var start: Timestamp
        var end: Timestamp

        init(_ row: SQLRow) throws(PersistenceError) {
            id = try row["transaction_id"]
            originalID = try row["original_id"]
            index = try row["period_index"]
            start = try row["starts_at"]
            end = try row["ends_at"]
        }
    }

    /// Reads the periods other than the latest one that are not over at an instant.
    ///
    /// They exist when an operator has renewed early, or the clock was set back.
    static func others(
        than known: StoredSubscription, endingAfter instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> [Stored] {
        try await reader.query(
            """
            SELECT transaction_id, original_id, period_index, starts_at, ends_at FROM subscription_period
            WHERE original_id = ? AND period_index <> ? AND ends_at > ? ORDER BY period_index
            """, known.originalID, known.period.index, instant.milliseconds
        ).map(Stored.init)
    }

    /// Finds the period a transaction has paid.
    static func find(transactionID: String, in reader: SQLReader) async throws(PersistenceError) -> Stored? {
        try await reader.queryOne(
            """
            SELECT transaction_id, original_id, period_index, starts_at, ends_at FROM subscription_period
            WHERE transaction_id = ?
            """, transactionID
        ).map(Stored.init)
    }

    /// Reads transactions of later periods that are not over at an instant, the last first.
    static func later(
        than paid: Stored, endingAfter instant: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT transaction_id FROM subscription_period
            WHERE original_id = ? AND period_index > ? AND ends_at > ? ORDER BY period_index DESC
            """, paid.originalID, paid.index, instant.milliseconds
        ).values(of: "transaction_id")
    }
}

import Persistence
import StoreModels

/// Reads and writes periods. Their primary key lets a period be paid once.
enum SubscriptionPeriodRepository {
    static func insert(
        _ period: SubscriptionPaid, index: Int, of subscription: StoredSubscription
    ) -> SQLChange {
        SQLChange(
            inserted, subscription.customer.bundleId, subscription.customer.customerIdentifier,
            subscription.originalID, index, period.id, period.chargeKey, period.amount.minorUnits,
            period.amount.currency.code, period.start.milliseconds, period.end.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "subscription_period",
        [
            "bundle_id": .text, "customer_identifier": .text, "original_id": .text, "period_index": .integer,
            "transaction_id": .text, "charge_key": .text, "amount_minor": .integer, "currency": .text,
            "starts_at": .integer, "ends_at": .integer,
        ])

    /// Writes a later end of a period.
    static func setEnd(_ end: Timestamp, ofPeriod index: Int, of originalID: String) -> SQLChange {
        SQLChange(extended, end.milliseconds, originalID, index)
    }

    private static let extended = SQLBatchStatement.update(
        "subscription_period", set: "ends_at = ?", where: "original_id = ? AND period_index = ?", .integer, .text,
        .integer)

    /// Ends all periods at an instant. A later period gets no length.
    static func cut(at end: Timestamp, of originalID: String) -> SQLChange {
        SQLChange(shortened, end.milliseconds, end.milliseconds, originalID, end.milliseconds)
    }

    private static let shortened = SQLBatchStatement.update(
        "subscription_period", set: "ends_at = CASE WHEN starts_at > ? THEN starts_at ELSE ? END",
        where: "original_id = ? AND ends_at > ?", .integer, .integer, .text, .integer)

    /// Looks for start and end of a subscription's periods, in order.
    static func all(of originalID: String) -> SQLLookup<[(start: Timestamp, end: Timestamp)]> {
        SQLLookup(all: ofSubscription, originalID) { row in (start: try row["starts_at"], end: try row["ends_at"]) }
    }

    private static let ofSubscription = SQLBatchStatement.query(
        "SELECT starts_at, ends_at FROM subscription_period WHERE original_id = ? ORDER BY period_index", .text)

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

        init(_ period: SubscriptionPaid, index: Int, of originalID: String) {
            (id, self.originalID, self.index) = (period.id, originalID, index)
            (start, end) = (period.start, period.end)
        }

        /// Makes the present period of a subscription.
        init(latestOf value: StoredSubscription) {
            (id, originalID, index) = (value.period.transactionID, value.originalID, value.period.index)
            (start, end) = (value.period.start, value.period.end)
        }
    }

    /// Looks for the period a transaction has paid.
    static func find(transactionID: String) -> SQLLookup<Stored?> {
        SQLLookup(first: ofTransaction, transactionID) { try Stored($0) }
    }

    private static let ofTransaction = SQLBatchStatement.query(
        """
        SELECT transaction_id, original_id, period_index, starts_at, ends_at FROM subscription_period
        WHERE transaction_id = ?
        """, .text)

    /// Looks for a subscription's periods that are not over at an instant, in order.
    ///
    /// There are several when an operator has renewed early, or the clock was set back.
    static func unfinished(of originalID: String, endingAfter instant: Timestamp) -> SQLLookup<[Stored]> {
        SQLLookup(all: endingAfter, originalID, instant.milliseconds) { try Stored($0) }
    }

    private static let endingAfter = SQLBatchStatement.query(
        """
        SELECT transaction_id, original_id, period_index, starts_at, ends_at FROM subscription_period
        WHERE original_id = ? AND ends_at > ? ORDER BY period_index
        """, .text, .integer)
}

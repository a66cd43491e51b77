import Persistence
import StoreModels

/// Reads and writes refunds, which the commit that decides about them inserts.
///
/// A refund is done when the processor has replied (ADR 0015).
enum RefundRepository {
    /// Inserts a refund.
    /// - Parameter stored: The purchase that was paid.
    static func insert(key: String, of stored: StoredTransaction, _ amount: Money, wall: Timestamp) -> SQLChange {
        SQLChange(
            inserted, key, stored.customer.bundleId, stored.customer.customerIdentifier, stored.chargeKey, stored.id,
            amount.minorUnits, amount.currency.code, wall.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "refund",
        [
            "refund_key": .text, "bundle_id": .text, "customer_identifier": .text, "charge_key": .text,
            "transaction_id": .text, "amount_minor": .integer, "currency": .text, "created_at": .integer,
        ])

    /// Computes the refunded amount of a purchase, in minor units.
    static func refunded(_ transactionID: String) -> SQLLookup<Int64> {
        SQLLookup(amounts, transactionID) { rows in
            try rows.reduce(0) { sum, row in
                let amount: Int64 = try row["amount_minor"]
                return sum + amount
            }
        }
    }

    private static let amounts = SQLBatchStatement.query(
        "SELECT amount_minor FROM refund WHERE transaction_id = ?", .text)

    /// Reads refunds and reversals without a reply of the processor, by key, after a key.
    static func open(after: String, limit: Int, in reader: SQLReader) async throws -> [StoredRefund] {
        try await reader.query(
            """
            SELECT * FROM refund WHERE is_done = 0 AND refund_key > ?
            UNION ALL SELECT * FROM refund WHERE reversal = 1 AND is_done = 1 AND refund_key > ?
            ORDER BY refund_key LIMIT ?
            """, after, after, limit
        ).map(StoredRefund.init)
    }

    /// Reads a refund, if the processor has not replied to it or to its reversal.
    static func open(_ key: String, in reader: SQLReader) async throws -> StoredRefund? {
        try await reader.queryOne(
            "SELECT * FROM refund WHERE refund_key = ? AND (is_done = 0 OR reversal = 1)", key
        ).map(StoredRefund.init)
    }

    /// Tells whether the refund of a purchase was taken back.
    static func isReversed(_ transactionID: String) -> SQLLookup<Bool> {
        SQLLookup(reversals, transactionID) { !$0.isEmpty }
    }

    private static let reversals = SQLBatchStatement.query(
        "SELECT refund_key FROM refund WHERE transaction_id = ? AND reversal <> 0", .text)

    /// Records that a refund must be taken back. Does nothing for a purchase that cost nothing.
    static func reverse(_ key: String) -> SQLChange { SQLChange(reversed, key) }

    private static let reversed = SQLBatchStatement.update(
        "refund", set: "reversal = 1", where: "refund_key = ? AND reversal = 0", .text)

    /// Records the processor's reply to a reversal.
    static func markReversed(_ key: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.send("UPDATE refund SET reversal = 2 WHERE refund_key = ?", key)
        try await forgetRemoved(key, in: transaction)
    }

    /// Records the processor's reply. The row of a purchase that was cleared away meanwhile is deleted.
    static func markDone(_ key: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.send("UPDATE refund SET is_done = 1 WHERE refund_key = ?", key)
        try await forgetRemoved(key, in: transaction)
    }

    private static func forgetRemoved(_ key: String, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.send(
            """
            DELETE FROM refund WHERE refund_key = ? AND is_done = 1 AND reversal <> 1
                AND NOT EXISTS (SELECT 1 FROM payment_transaction t WHERE t.id = refund.transaction_id)
            """, key)
    }
}

/// Computes refunded amounts without I/O, in minor units.
enum RefundRules {
    /// Returns the refundable rest of a payment.
    static func left(of paid: Int64, refunded: Int64) -> Int64 { max(0, paid - refunded) }

    /// Returns the part of a period's price for the time after `now`.
    ///
    /// It is rounded down, so a refund never exceeds the payment (P10). Before the period begins it is the whole price,
    /// after its end it is zero.
    static func unused(of paid: Int64, start: Timestamp, end: Timestamp, now: Timestamp) -> Int64 {
        let length = end.milliseconds - start.milliseconds
        let remaining = min(end.milliseconds - now.milliseconds, length)
        guard paid > 0, length > 0, remaining > 0 else { return 0 }
        // A large price times a year of milliseconds has more than 64 bits.
        return length.dividingFullWidth(paid.multipliedFullWidth(by: remaining)).quotient
    }
}

/// A committed refund, which is sent to the processor until it has replied.
struct StoredRefund: Hashable, Sendable {
    /// The key of the refund at the processor.
    var key: String
    var customer: CustomerReference
    /// The key of the refunded charge at the processor.
    var chargeKey: String
    /// The `id` of the refunded transaction.
    var transactionID: String
    var amount: Money
    /// Whether the processor has replied to the refund.
    var isDone = false
    /// Whether the refund must be taken back at the processor.
    var isReversal = false

    /// Returns the key of the refund of a whole purchase.
    static func key(of transactionID: String) -> String { "refund:" + transactionID }

    /// Returns the key of the refund of a period's unused part.
    /// - Parameters:
    ///   - transactionID: The purchase that has replaced the period.
    ///   - period: The period's number, or nil for the latest one.
    static func proratedKey(of transactionID: String, period: Int? = nil) -> String {
        "prorated:" + transactionID + (period.map { ":\($0)" } ?? "")
    }

    var request: CreateRefundRequest {
        CreateRefundRequest(refundKey: key, chargeKey: chargeKey, amount: amount)
    }
}

extension StoredRefund {
    init(_ row: SQLRow) throws {
        let code: String = try row["currency"]
        guard let currency = Currency(code: code) else {
            throw StoreError(.internal, "the stored currency '\(code)' is not a currency")
        }
        self.init(
            key: try row["refund_key"],
            customer: try CustomerReference(row),
            chargeKey: try row["charge_key"], transactionID: try row["transaction_id"],
            amount: Money(minorUnits: try row["amount_minor"], currency: currency), isDone: try row["is_done"],
            isReversal: try row["reversal"] == 1)
    }
}

import Persistence
import StoreModels

/// Stores the ledger's refunds, one per key. A row is never deleted, and changed once at most: when it is reversed.
package enum LedgerRefundRepository {
    package static func find(_ refundKey: String, in reader: SQLReader) async throws(PersistenceError) -> Refund? {
        try await reader.queryOne("SELECT * FROM refund WHERE refund_key = ?", refundKey).map(refund)
    }

    /// Returns the amount refunded of a charge so far, in minor units.
    package static func refunded(
        of chargeKey: String, in reader: SQLReader
    ) async throws(PersistenceError) -> Int64 {
        // Summed here: PostgreSQL's SUM of BIGINT is not a BIGINT.
        var total: Int64 = 0
        for row in try await reader.query(
            "SELECT amount_minor FROM refund WHERE charge_key = ? AND reversed_at IS NULL", chargeKey)
        {
            let amount: Int64 = try row["amount_minor"]
            total += amount
        }
        return total
    }

    /// Writes a refund, unless its key exists.
    /// - Returns: The refund, or nil when its key exists.
    package static func insert(
        _ request: CreateRefundRequest, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Refund? {
        try await transaction.queryOne(
            """
            INSERT INTO refund (refund_key, charge_key, amount_minor, currency, created_at)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (refund_key) DO NOTHING RETURNING *
            """, request.refundKey, request.chargeKey, request.amount.minorUnits, request.amount.currency.code,
            now.milliseconds
        ).map(refund)
    }

    /// Takes a refund back. One that was taken back before keeps its time.
    /// - Returns: The refund, or nil when its key does not exist.
    package static func reverse(
        _ refundKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Refund? {
        try await transaction.queryOne(
            "UPDATE refund SET reversed_at = COALESCE(reversed_at, ?) WHERE refund_key = ? RETURNING *",
            now.milliseconds, refundKey
        ).map(refund)
    }

    /// Lists refunds after a number, in order.
    /// - Parameter bundleId: The app whose charges were refunded, or nil for all.
    package static func list(
        after: Int64, limit: Int, bundleId: String? = nil, in reader: SQLReader
    ) async throws(PersistenceError) -> [Refund] {
        let rows =
            if let bundleId {
                try await reader.query(
                    """
                    SELECT refund.* FROM refund JOIN charge USING (charge_key)
                    WHERE refund_number > ? AND bundle_id = ? ORDER BY refund_number LIMIT ?
                    """, after, bundleId, limit)
            } else {
                try await reader.query(
                    "SELECT * FROM refund WHERE refund_number > ? ORDER BY refund_number LIMIT ?", after, limit)
            }
        return try rows.map(refund)
    }

    private static func refund(_ row: SQLRow) throws(PersistenceError) -> Refund {
        let (number, minorUnits): (Int64, Int64) = (try row["refund_number"], try row["amount_minor"])
        let code: String = try row["currency"]
        guard let currency = Currency(code: code) else {
            throw PersistenceError(.statement, "the ledger has a refund in '\(code)', which is not a currency")
        }
        var refund = Refund(
            refundKey: try row["refund_key"], chargeKey: try row["charge_key"], refundIdentifier: "\(number)",
            amount: Money(minorUnits: minorUnits, currency: currency), createdAt: try row["created_at"])
        refund.reversedAt = try row["reversed_at"]
        return refund
    }
}

import Persistence
import StoreModels

/// The ledger's rows. A charge is written once and never changed.
package enum ChargeRepository {
    package static func find(_ chargeKey: String, in reader: SQLReader) async throws(PersistenceError) -> Charge? {
        try await reader.queryOne("SELECT * FROM charge WHERE charge_key = ?", chargeKey).map(charge)
    }

    package static func insert(
        _ request: CreateChargeRequest, _ decision: ChargeDecision, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Charge {
        try await insert(
            """
            INSERT INTO charge (charge_number, charge_key, outcome, amount_minor, currency, bundle_id,
                customer_identifier, product_identifier, decline_reason, created_at)
            SELECT COALESCE(MAX(charge_number), 0) + 1, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM charge RETURNING *
            """,
            [
                request.chargeKey, decision.outcome.rawValue, request.amount.minorUnits, request.amount.currency.code,
                request.bundleId, request.customerIdentifier, request.productIdentifier, decision.declineReason,
                now.milliseconds,
            ], in: transaction)
    }

    /// A charge that never was and never will be.
    package static func insertTombstone(
        _ chargeKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Charge {
        try await insert(
            """
            INSERT INTO charge (charge_number, charge_key, outcome, created_at)
            SELECT COALESCE(MAX(charge_number), 0) + 1, ?, 'cancelled', ? FROM charge RETURNING *
            """, [chargeKey, now.milliseconds], in: transaction)
    }

    private static func insert(
        _ sql: String, _ arguments: [any SQLValueConvertible], in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Charge {
        guard let row = try await transaction.query(sql, arguments: arguments).first else {
            throw PersistenceError(.statement, "the ledger returned no row")
        }
        return try charge(row)
    }

    /// Charges behind a number, in order.
    package static func list(after: Int64, limit: Int, in reader: SQLReader) async throws(PersistenceError) -> [Charge] {
        var charges: [Charge] = []
        for row in try await reader.query(
            "SELECT * FROM charge WHERE charge_number > ? ORDER BY charge_number LIMIT ?", after, limit)
        {
            charges.append(try charge(row))
        }
        return charges
    }

    private static func charge(_ row: SQLRow) throws(PersistenceError) -> Charge {
        let number: Int64 = try row["charge_number"]
        let minorUnits: Int64? = try row["amount_minor"]
        let currency: String? = try row["currency"]
        var amount: Money?
        if let minorUnits, let currency = currency.flatMap(Currency.init(code:)) {
            amount = Money(minorUnits: minorUnits, currency: currency)
        }
        return Charge(
            chargeKey: try row["charge_key"], chargeIdentifier: "\(number)", outcome: try row["outcome"],
            amount: amount,
            declineReason: try row["decline_reason"], createdAt: Timestamp(milliseconds: try row["created_at"]))
    }
}

extension Charge.Outcome: SQLValueConvertible {}

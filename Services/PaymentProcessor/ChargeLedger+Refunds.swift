import Persistence
import StoreModels

/// Refunds, which the sandbox's modes do not affect.
extension ChargeLedger {
    /// Refunds money of an approved charge, once per key. A repeated key gets the recorded refund.
    ///
    /// The charge's row is locked before refunds are summed, so that concurrent refunds, also of several processors,
    /// never exceed the charge together (P10).
    /// - Throws: `requestInvalid`. `details.conflict` is "amount" for more than the rest of the charge and for another
    ///   amount under the key, "charge" for a charge that was not approved and for another charge under the key.
    package func refund(_ request: CreateRefundRequest) async throws -> Refund {
        try checkKey(request.refundKey, "refundKey")
        try checkKey(request.chargeKey)
        guard request.amount.minorUnits > 0 else {
            throw StoreError.requestInvalid("amount", "amount must be above zero")
        }
        let now = wall()
        let (refund, isNew) = try await database.write { transaction in
            let charge = try await ChargeRepository.lock(request.chargeKey, in: transaction)
            if let known = try await LedgerRefundRepository.find(request.refundKey, in: transaction) {
                return (try Self.same(known, request), false)
            }
            if charge?.outcome == .authorized {
                // Only what was sold is refunded: its capture is on the way.
                _ = try await ChargeRepository.capture([request.chargeKey], in: transaction)
            }
            guard let charge, charge.outcome == .approved || charge.outcome == .authorized, let amount = charge.amount
            else {
                throw Self.conflict("charge", "there is no approved charge '\(request.chargeKey)'")
            }
            let left =
                amount.minorUnits - (try await LedgerRefundRepository.refunded(of: charge.chargeKey, in: transaction))
            guard amount.currency == request.amount.currency, request.amount.minorUnits <= left else {
                throw Self.conflict("amount", "of this charge \(left) minor units of \(amount.currency.code) are left")
            }
            if let written = try await LedgerRefundRepository.insert(request, at: now, in: transaction) {
                return (written, true)
            }
            // Another transaction has just used the key, under another charge's lock.
            guard let known = try await LedgerRefundRepository.find(request.refundKey, in: transaction) else {
                throw PersistenceError(.conflict, "a refund's key was taken by a commit that cannot be seen yet")
            }
            return (try Self.same(known, request), false)
        }
        if isNew { record.note(refund) }
        return refund
    }

    /// Takes a refund back, so that the charge has its money again. A repeated key gets the recorded reversal.
    /// - Throws: `requestInvalid` with `details.conflict` "refund" for a key without a refund.
    package func reverse(_ request: ReverseRefundRequest) async throws -> Refund {
        try checkKey(request.refundKey, "refundKey")
        let now = wall()
        let refund = try await database.write { transaction in
            try await LedgerRefundRepository.reverse(request.refundKey, at: now, in: transaction)
        }
        guard let refund else {
            throw StoreError(
                .requestInvalid, "there is no refund '\(request.refundKey)'",
                details: ["conflict": .string("refund"), "path": .string("$.refundKey")])
        }
        return refund
    }

    /// Lists the refunds in order, as ``list(_:)`` does charges.
    /// - Throws: `requestInvalid`.
    package func listRefunds(_ request: ChargeListRequest) async throws -> RefundsPage {
        let after = try Self.position(request)
        let rows = try await database.read { reader in
            try await LedgerRefundRepository.list(
                after: after, limit: request.limit + 1, bundleId: request.bundleId, in: reader)
        }
        let page = Array(rows.prefix(request.limit))
        return RefundsPage(refunds: page, after: page.count == rows.count ? nil : page.last?.refundIdentifier)
    }

    private static func same(_ known: Refund, _ request: CreateRefundRequest) throws(StoreError) -> Refund {
        guard known.chargeKey.isExactly(request.chargeKey) else {
            throw conflict("charge", "this refundKey is used for another charge")
        }
        guard known.amount == request.amount else {
            throw conflict("amount", "this refundKey is used for another amount")
        }
        return known
    }

    private static func conflict(_ member: String, _ message: String) -> StoreError {
        StoreError(
            .requestInvalid, message,
            details: [
                "conflict": .string(member), "path": .string(member == "charge" ? "$.chargeKey" : "$.amount"),
            ])
    }
}

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

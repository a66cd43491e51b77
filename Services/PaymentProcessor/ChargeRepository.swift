import Persistence
import StoreModels

/// The ledger's rows, one per key. A decided outcome never changes.
package enum ChargeRepository {
    package static func find(_ chargeKey: String, in reader: SQLReader) async throws(PersistenceError) -> Charge? {
        try await reader.queryOne("SELECT * FROM charge WHERE charge_key = ?", chargeKey).map(charge)
    }

    private static func find(
        among chargeKeys: [String], in reader: SQLReader
    ) async throws(PersistenceError) -> [ExactText: Charge] {
        guard !chargeKeys.isEmpty else { return [:] }
        let (placeholders, padded) = SQLList.padded(chargeKeys)
        let rows = try await reader.query(
            "SELECT * FROM charge WHERE charge_key IN (\(placeholders))", arguments: padded)
        var found: [ExactText: Charge] = [:]
        for row in rows {
            let known = try charge(row)
            found[ExactText(known.chargeKey)] = known
        }
        return found
    }

    /// Finds a charge and locks its row until the commit. The lock serializes refunds of one charge.
    package static func lock(_ chargeKey: String, in transaction: SQLTransaction) async throws(PersistenceError)
        -> Charge?
    {
        try await transaction.queryOne(
            "SELECT * FROM charge WHERE charge_key = ? \(transaction.dialect.lockRow)", chargeKey
        ).map(charge)
    }

    /// Writes a charge, unless its key exists.
    ///
    /// An authorization is stored as an approved charge that was not captured.
    /// - Parameter due: The time at which a pending charge is approved, or nil for other outcomes.
    /// - Returns: The recorded charge, and whether it is new.
    package static func insert(
        _ request: CreateChargeRequest, _ decision: ChargeDecision, at now: Timestamp, due: Timestamp?,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> (charge: Charge, isNew: Bool) {
        let isAuthorization = decision.outcome == .authorized
        let number = try await transaction.insert(
            """
            INSERT INTO charge (charge_key, outcome, amount_minor, currency, bundle_id, customer_identifier,
                product_identifier, decline_reason, created_at, due_at, is_uncaptured)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (charge_key) DO NOTHING
            """,
            request.chargeKey, (isAuthorization ? .approved : decision.outcome).rawValue, request.amount.minorUnits,
            request.amount.currency.code,
            request.bundleId, request.customerIdentifier, request.productIdentifier, decision.declineReason,
            now.milliseconds, due?.milliseconds, isAuthorization, numberedBy: "charge_number")
        if let number { return (newCharge(number, request, decision, at: now), true) }
        guard let known = try await find(request.chargeKey, in: transaction) else { throw vanished }
        return (known, false)
    }

    /// Writes charges whose keys differ, unless their keys exist. None of them is pending.
    ///
    /// PostgreSQL gets one statement, and one more if keys exist. SQLite has no round trips, and statements of one row
    /// cost less there.
    /// - Parameter charges: At most ``AuthorizeChargesRequest/chargesMax``.
    /// - Returns: The recorded charges in the order of `charges`, and whether each is new.
    static func insert(
        _ charges: [(request: CreateChargeRequest, decision: ChargeDecision)], at now: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [(charge: Charge, isNew: Bool)] {
        var recorded: [(charge: Charge, isNew: Bool)] = []
        guard transaction.dialect == .postgres, charges.count > 1 else {
            for (request, decision) in charges {
                recorded.append(try await insert(request, decision, at: now, due: nil, in: transaction))
            }
            return recorded
        }
        var numbers: [ExactText: Int64] = [:]
        for row in try await insertTogether(charges, at: now, in: transaction) {
            let (key, number): (String, Int64) = (try row["charge_key"], try row["charge_number"])
            numbers[ExactText(key)] = number
        }
        let repeated = charges.map { $0.request.chargeKey }.filter { numbers[ExactText($0)] == nil }
        let known = try await find(among: repeated, in: transaction)
        for (request, decision) in charges {
            let key = ExactText(request.chargeKey)
            if let number = numbers[key] {
                recorded.append((newCharge(number, request, decision, at: now), true))
            } else if let charge = known[key] {
                recorded.append((charge, false))
            } else {
                throw vanished
            }
        }
        return recorded
    }

    /// Writes charges in the order of their keys, unless their keys exist.
    ///
    /// A transaction waits for another one that has written the same key. Because of the order, the other one never
    /// waits for it, so that both end.
    /// - Returns: The key and the number of each new charge.
    private static func insertTogether(
        _ charges: [(request: CreateChargeRequest, decision: ChargeDecision)], at now: Timestamp,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [SQLRow] {
        var rows = SQLBatch(inserted)
        for (request, decision) in charges.sorted(by: {
            ExactText($0.request.chargeKey) < ExactText($1.request.chargeKey)
        }) {
            let isAuthorization = decision.outcome == .authorized
            rows.append(
                request.chargeKey, (isAuthorization ? .approved : decision.outcome).rawValue,
                request.amount.minorUnits, request.amount.currency.code, request.bundleId, request.customerIdentifier,
                request.productIdentifier, decision.declineReason, now.milliseconds, isAuthorization)
        }
        return try await transaction.start(rows).rows()
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "charge",
        [
            "charge_key": .text, "outcome": .text, "amount_minor": .integer, "currency": .text, "bundle_id": .text,
            "customer_identifier": .text, "product_identifier": .text, "decline_reason": .text, "created_at": .integer,
            "is_uncaptured": .integer,
        ], "ON CONFLICT (charge_key) DO NOTHING RETURNING charge_key, charge_number")

    /// Captures authorized charges. Every other is left as it is.
    /// - Returns: The keys of the charges that were captured now.
    package static func capture(
        _ chargeKeys: [String], in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [String] {
        let (placeholders, padded) = SQLList.padded(chargeKeys)
        return try await transaction.query(
            """
            UPDATE charge SET is_uncaptured = 0
            WHERE charge_key IN (\(placeholders)) AND outcome = 'approved' AND is_uncaptured = 1
            RETURNING charge_key
            """, arguments: padded
        ).values(of: "charge_key")
    }

    /// Finds the approved charges among keys.
    package static func approved(
        among chargeKeys: [String], in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        let (placeholders, padded) = SQLList.padded(chargeKeys)
        return try await reader.query(
            """
            SELECT charge_key FROM charge
            WHERE charge_key IN (\(placeholders)) AND outcome = 'approved' AND is_uncaptured = 0
            """, arguments: padded
        ).values(of: "charge_key")
    }

    /// Cancels a charge. It writes a tombstone for an unknown key, `cancelled` for a pending or authorized charge, and
    /// does not change any other. It is one statement, so that no create, approval or capture comes in between.
    package static func cancel(
        _ chargeKey: String, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Charge {
        let row = try await transaction.queryOne(
            """
            INSERT INTO charge (charge_key, outcome, created_at) VALUES (?, 'cancelled', ?)
            ON CONFLICT (charge_key) DO UPDATE
            SET outcome = CASE WHEN charge.outcome = 'pending' OR charge.is_uncaptured = 1 THEN 'cancelled'
                ELSE charge.outcome END
            RETURNING *
            """, chargeKey, now.milliseconds)
        guard let row else { throw vanished }
        return try charge(row)
    }

    /// Approves pending charges that are due, the longest waiting first.
    /// - Returns: Their keys. Each is returned once, even if several processors share the ledger.
    package static func approveDue(
        now: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> [String] {
        // Materialized: otherwise PostgreSQL may run the selection again for each row, and approve more.
        return try await transaction.query(
            """
            WITH due AS MATERIALIZED (
                SELECT charge_number FROM charge WHERE outcome = 'pending' AND due_at <= ?
                ORDER BY due_at LIMIT ? \(transaction.dialect.skipLocked))
            UPDATE charge SET outcome = 'approved'
            WHERE outcome = 'pending' AND charge_number IN (SELECT charge_number FROM due)
            RETURNING charge_key
            """, now.milliseconds, limit
        ).values(of: "charge_key")
    }

    /// Limits the due time of pending charges.
    package static func limitDue(to due: Timestamp, in transaction: SQLTransaction) async throws(PersistenceError) {
        try await transaction.execute(
            "UPDATE charge SET due_at = ? WHERE outcome = 'pending' AND due_at > ?", due.milliseconds, due.milliseconds)
    }

    /// Returns the time at which the next pending charge is due, if one is pending.
    package static func nextDue(in reader: SQLReader) async throws(PersistenceError) -> Timestamp? {
        let row = try await reader.queryOne("SELECT MIN(due_at) AS due FROM charge WHERE outcome = 'pending'")
        return try row?["due"]
    }

    /// Lists charges after a number, in order.
    /// - Parameter bundleId: The app whose charges are listed, or nil for all.
    package static func list(
        after: Int64, limit: Int, bundleId: String? = nil, in reader: SQLReader
    ) async throws(PersistenceError) -> [Charge] {
        let rows =
            if let bundleId {
                try await reader.query(
                    "SELECT * FROM charge WHERE charge_number > ? AND bundle_id = ? ORDER BY charge_number LIMIT ?",
                    after, bundleId, limit)
            } else {
                try await reader.query(
                    "SELECT * FROM charge WHERE charge_number > ? ORDER BY charge_number LIMIT ?", after, limit)
            }
        return try rows.map(charge)
    }

    private static var vanished: PersistenceError {
        PersistenceError(.statement, "the ledger has lost a row, though it never deletes any")
    }

    private static func newCharge(
        _ number: Int64, _ request: CreateChargeRequest, _ decision: ChargeDecision, at now: Timestamp
    ) -> Charge {
        Charge(
            chargeKey: request.chargeKey, chargeIdentifier: "\(number)", outcome: decision.outcome,
            amount: request.amount, declineReason: decision.declineReason, createdAt: now,
            authorizedUntil: decision.outcome == .authorized ? now + ChargeLedger.authorizedTime : nil)
    }

    private static func charge(_ row: SQLRow) throws(PersistenceError) -> Charge {
        let number: Int64 = try row["charge_number"]
        let minorUnits: Int64? = try row["amount_minor"]
        let currency: String? = try row["currency"]
        var amount: Money?
        if let minorUnits, let currency = currency.flatMap(Currency.init(code:)) {
            amount = Money(minorUnits: minorUnits, currency: currency)
        }
        let createdAt: Timestamp = try row["created_at"]
        let (outcome, isUncaptured): (Charge.Outcome, Bool) = (try row["outcome"], try row["is_uncaptured"])
        return Charge(
            chargeKey: try row["charge_key"], chargeIdentifier: "\(number)",
            outcome: isUncaptured && outcome == .approved ? .authorized : outcome, amount: amount,
            declineReason: try row["decline_reason"], createdAt: createdAt,
            authorizedUntil: isUncaptured ? createdAt + ChargeLedger.authorizedTime : nil)
    }
}

extension Charge.Outcome: SQLValueConvertible {}

import Persistence
import StoreModels

/// The customers' journals: one row per change, written in the change's own commit, numbered without gaps.
package enum JournalRepository {
    /// Appends a change, which is an event of the store too. The number comes from the customer's row in this
    /// transaction, which also makes writers of one customer wait for one another where an engine lets them run side by
    /// side.
    package static func append(
        _ kind: CustomerChange.Kind, _ value: PaymentTransaction, of customer: CustomerID, wall: Timestamp,
        in transaction: SQLTransaction
    ) async throws -> CustomerChange {
        let event = kind == .removed ? StoreEvent.Kind.finished : StoreEvent.Kind(value.transactionState)
        return try await append(kind, value, event: event, of: customer, wall: wall, in: transaction)
    }

    /// Appends that an operator has removed the transaction. Streams hear of it like of a finish; it is none, and so it
    /// is no event.
    package static func appendRemoval(
        of value: PaymentTransaction, of customer: CustomerID, wall: Timestamp, in transaction: SQLTransaction
    ) async throws -> CustomerChange {
        try await append(.removed, value, event: nil, of: customer, wall: wall, in: transaction)
    }

    private static func append(
        _ kind: CustomerChange.Kind, _ value: PaymentTransaction, event: StoreEvent.Kind?, of customer: CustomerID,
        wall: Timestamp, in transaction: SQLTransaction
    ) async throws -> CustomerChange {
        let seq = try await nextSeq(of: customer, in: transaction)
        let position = event == nil ? nil : try await CounterRepository.next(.event, in: transaction)
        try await transaction.execute(
            """
            INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, body, written_at,
                position, event)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            customer.bundleId, customer.customerIdentifier, seq, value.id, value.revision, kind.rawValue,
            try StoredJSON.text(value), wall.milliseconds, position, event)
        return CustomerChange(
            bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: seq, kind: kind,
            transaction: value)
    }

    private static func nextSeq(of customer: CustomerID, in transaction: SQLTransaction) async throws -> Int64 {
        let row = try await transaction.queryOne(
            """
            UPDATE customer SET head_seq = head_seq + 1 WHERE bundle_id = ? AND customer_identifier = ?
            RETURNING head_seq
            """, customer.bundleId, customer.customerIdentifier)
        guard let row else { throw StoreError(.notFound, "no such customer") }
        return try row["head_seq"]
    }

    /// The changes behind `after`, in order.
    package static func changes(
        of customer: CustomerID, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [CustomerChange] {
        try await reader.query(
            """
            SELECT seq, kind, body FROM journal WHERE bundle_id = ? AND customer_identifier = ? AND seq > ?
            ORDER BY seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, limit
        ).map { row in
            let body: String = try row["body"]
            return CustomerChange(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier, seq: try row["seq"],
                kind: try row["kind"], transaction: try StoredJSON.value(PaymentTransaction.self, body))
        }
    }

    /// Removes rows written before `wall`, at most `limit`, and notes with each customer where the journal begins now.
    /// - Returns: how many rows went; fewer than `limit` when no more are that old.
    package static func prune(
        writtenBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        let rows = try await transaction.query(
            """
            SELECT bundle_id, customer_identifier, seq FROM journal WHERE written_at < ? ORDER BY written_at, seq LIMIT ?
            """, wall.milliseconds, limit)
        for row in rows {
            let (bundleId, customer, seq): (String, String, Int64) = (
                try row["bundle_id"], try row["customer_identifier"], try row["seq"]
            )
            // Everything up to this row goes, so that what is left has no gap even if the wall clock once ran backwards.
            try await transaction.execute(
                "DELETE FROM journal WHERE bundle_id = ? AND customer_identifier = ? AND seq <= ?", bundleId, customer,
                seq)
            try await transaction.execute(
                """
                UPDATE customer SET pruned_seq = ? WHERE bundle_id = ? AND customer_identifier = ? AND pruned_seq < ?
                """, seq, bundleId, customer, seq)
        }
        return rows.count
    }
}

extension CustomerChange.Kind: SQLValueConvertible {}
extension StoreEvent.Kind: SQLValueConvertible {}

extension StoreEvent.Kind {
    /// The event of a transaction that has just taken this state.
    init(_ state: TransactionState) {
        switch state {
        case .purchasing: self = .purchasing
        case .purchased: self = .purchased
        case .failed: self = .failed
        case .restored: self = .restored
        case .deferred: self = .deferred
        }
    }
}

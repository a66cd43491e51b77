import Persistence
import ServiceDatabase
import StoreModels

/// The customers' journals: one row per change, written in the change's own commit, numbered without gaps.
enum JournalRepository {
    /// Writes rows that a ``CustomerTransaction`` has numbered.
    static func append(
        _ entries: [JournalEntry], of customer: CustomerReference, wall: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        for entry in entries {
            try await transaction.send(
                """
                INSERT INTO journal (bundle_id, customer_identifier, seq, transaction_id, revision, kind, device_id, body,
                    written_at, event)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                customer.bundleId, customer.customerIdentifier, entry.change.seq, entry.transactionID, entry.revision,
                entry.change.kind, entry.change.deviceId, entry.body, wall.milliseconds, entry.event)
        }
    }

    /// The changes behind `after`, in order.
    static func changes(
        of customer: CustomerReference, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [CustomerChange] {
        try await reader.query(
            """
            SELECT seq, kind, device_id, body FROM journal
            WHERE bundle_id = ? AND customer_identifier = ? AND seq > ? ORDER BY seq LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, after, limit
        ).map { try change($0, of: customer) }
    }

    private static func change(_ row: SQLRow, of customer: CustomerReference) throws -> CustomerChange {
        let (bundleId, identifier) = (customer.bundleId, customer.customerIdentifier)
        let (seq, kind): (Int64, CustomerChange.Kind) = (try row["seq"], try row["kind"])
        let body: String = try row["body"]
        switch kind {
        case .updated, .removed, .subscriptionChanged:
            return CustomerChange(
                bundleId: bundleId, customerIdentifier: identifier, seq: seq, kind: kind,
                transaction: try StoredJSON.value(PaymentTransaction.self, body))
        case .entitlementsRevoked:
            let value = try StoredJSON.value(PaymentTransaction.self, body)
            return CustomerChange(
                bundleId: bundleId, customerIdentifier: identifier, seq: seq,
                revoked: [value.payment.productIdentifier], transaction: value)
        case .restoreEnded:
            return CustomerChange(
                bundleId: bundleId, customerIdentifier: identifier, seq: seq,
                restore: try StoredJSON.value(Restore.self, body), deviceId: try row["device_id"])
        case .downloadsUpdated:
            return CustomerChange(
                bundleId: bundleId, customerIdentifier: identifier, seq: seq,
                downloads: try StoredJSON.value(PaymentTransaction.self, body).downloads, deviceId: try row["device_id"]
            )
        }
    }

    /// Removes rows written before `wall`, at most `limit`. It also records for each customer where the journal begins
    /// now. The last row of all stays, because SQLite numbers on from it.
    /// - Returns: How many rows went; fewer than `limit` when no more are that old.
    static func prune(
        writtenBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        let rows = try await transaction.query(
            """
            SELECT bundle_id, customer_identifier, seq FROM journal
            WHERE written_at < ? AND position < (SELECT MAX(position) FROM journal) ORDER BY written_at, seq LIMIT ?
            """, wall.milliseconds, limit)
        for row in rows {
            let (bundleId, customer, seq): (String, String, Int64) = (
                try row["bundle_id"], try row["customer_identifier"], try row["seq"]
            )
            // Everything up to this row goes, so that what is left has no gap even if the wall clock once ran
            // backwards.
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

/// A change to be journalled: the event for streams and the row to write.
struct JournalEntry: Hashable, Sendable {
    var change: CustomerChange
    /// The JSON of what the change is about, made once for all the places of one commit that hold it. That of downloads
    /// is their whole transaction, as it is for the device.
    var body: String
    /// Nil for a restore's end.
    var transactionID: String?
    var revision: Int?
    /// What it is among the events of the store; nil is none.
    var event: StoreEvent.Kind?
}

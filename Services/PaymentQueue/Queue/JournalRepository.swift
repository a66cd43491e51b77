import Logging
import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the customers' journals: one row per change, numbered without gaps.
///
/// A row is written in its change's own commit.
enum JournalRepository {
    /// Inserts the row of a change that its commit has numbered.
    static func insert(_ entry: JournalEntry, of customer: CustomerReference, wall: Timestamp) -> SQLChange {
        SQLChange(
            inserted, customer.bundleId, customer.customerIdentifier, entry.change.seq, entry.transactionID,
            entry.revision, entry.change.kind, entry.change.deviceId, entry.body, entry.at.milliseconds,
            wall.milliseconds, entry.event)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "journal",
        [
            "bundle_id": .text, "customer_identifier": .text, "seq": .integer, "transaction_id": .text,
            "revision": .integer, "kind": .text, "device_id": .text, "body": .text, "happened_at": .integer,
            "written_at": .integer, "event": .text,
        ])

    /// Reads the changes after `after`, in order.
    static func changes(
        of customer: CustomerReference, after: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [CustomerChange] {
        try await reader.query(
            """
            SELECT seq, kind, device_id, event, body FROM journal
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
                transaction: try StoredJSON.value(PaymentTransaction.self, body), event: try row["event"])
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

    /// Removes the rows written before `wall` among the oldest `limit`.
    ///
    /// It records each customer's last removed row, and the last one of all.
    /// - Returns: The number of removed rows, which is less than `limit` when no more are that old.
    static func prune(
        writtenBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        let rows = try await transaction.query(
            """
            SELECT bundle_id, customer_identifier, seq, xact, position FROM (
                SELECT bundle_id, customer_identifier, seq, xact, position, written_at FROM journal
                ORDER BY position LIMIT ?) AS oldest
            WHERE written_at < ?
            """, limit, wall.milliseconds)
        var last: EventPosition?
        for row in rows {
            let position = try EventPosition(row)
            last = last.map { max($0, position) } ?? position
            let (bundleId, customer, seq): (String, String, Int64) = (
                try row["bundle_id"], try row["customer_identifier"], try row["seq"]
            )
            // Removes everything up to this row, so that the rest has no gap even if the wall clock once ran backwards.
            try await transaction.execute(
                "DELETE FROM journal WHERE bundle_id = ? AND customer_identifier = ? AND seq <= ?", bundleId, customer,
                seq)
            try await transaction.execute(
                """
                UPDATE customer SET pruned_seq = ? WHERE bundle_id = ? AND customer_identifier = ? AND pruned_seq < ?
                """, seq, bundleId, customer, seq)
        }
        if let last { try await EventRepository.table.recordRemoval(through: last, in: transaction) }
        return rows.count
    }
}

extension CustomerChange.Kind: SQLValueConvertible {}
extension StoreEvent.Kind: SQLValueConvertible {}

extension StoreEvent.Kind {
    /// Returns the event of a transaction that has just entered a state.
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
    /// When the change happened, by the app's clock.
    var at: Timestamp
    /// JSON of the change's subject, encoded once for all columns of the commit.
    ///
    /// For downloads it is their whole transaction, with the downloads as the device sees them.
    var body: String
    /// Nil at the end of a restore.
    var transactionID: String?
    /// The transaction's revision. Nil at the end of a restore.
    var revision: Int?
    /// The store event this change is listed as, if any.
    var event: StoreEvent.Kind?

    /// The change as the event that announces it: a transaction's JSON is the row's.
    var published: PublishedChange {
        change.carrying(change.transaction.map { .stored(id: $0.id, EncodedJSON(stored: body)) })
    }
}

/// A change of a customer as it is published.
typealias PublishedChange = CustomerChangeOf<TransactionJSON>

/// Removes journal rows that no stream needs any more. A reader that is behind them takes a snapshot instead.
struct JournalPruner: QueuePart {
    /// Minimum age of removed rows, by the wall clock. Moving an app's clock keeps the rows of open streams.
    static let keptFor: Duration = .seconds(30 * 86_400)
    /// Monotonic time between two rounds.
    static let interval: Duration = .seconds(600)
    /// Maximum number of rows one commit removes.
    static let batch = 500

    let context: QueueContext

    /// Removes all rows older than ``keptFor``.
    /// - Returns: The number of removed rows.
    @discardableResult
    func prune() async throws -> Int {
        let limit = clock.wall() + (.zero - Self.keptFor)
        let total = try await database.writeInBatches(of: Self.batch) { transaction in
            try await JournalRepository.prune(writtenBefore: limit, limit: Self.batch, in: transaction)
        }
        if total > 0 { logger.info("journal pruned", metadata: ["rows": "\(total)"]) }
        return total
    }
}

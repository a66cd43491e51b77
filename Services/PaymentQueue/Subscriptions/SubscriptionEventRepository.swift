import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the timelines of subscriptions. An event's own commit writes its entry.
enum SubscriptionEventRepository {
    static func insert(
        _ event: SubscriptionEvent, account: String, of subscription: StoredSubscription
    ) throws -> SQLChange {
        var event = event
        event.account = account
        return SQLChange(
            inserted, subscription.customer.bundleId, subscription.customer.customerIdentifier,
            subscription.originalID, event.at.milliseconds, try StoredJSON.text(event))
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "subscription_event",
        ["bundle_id": .text, "customer_identifier": .text, "original_id": .text, "at": .integer, "body": .text])

    /// An entry, and its position among all of the store's.
    typealias Positioned = (position: Int64, event: SubscriptionEvent)

    /// Reads a subscription's entries after a position, in the order they were written.
    static func timeline(
        of originalID: String, after position: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [Positioned] {
        try await reader.query(
            """
            SELECT position, body FROM subscription_event WHERE original_id = ? AND position > ?
            ORDER BY position LIMIT ?
            """, originalID, position, limit
        ).map(placed)
    }

    /// Reads the position of an app's last entry. 0 before the first.
    static func last(of bundleId: String, in reader: SQLReader) async throws(PersistenceError) -> Int64 {
        let row = try await reader.queryOne(
            "SELECT MAX(position) AS last FROM subscription_event WHERE bundle_id = ?", bundleId)
        let last: Int64? = try row?["last"]
        return last ?? 0
    }

    /// Counts an app's entries between two positions.
    static func count(
        of bundleId: String, after first: Int64, through last: Int64, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        let row = try await reader.queryOne(
            "SELECT COUNT(*) AS entries FROM subscription_event WHERE bundle_id = ? AND position > ? AND position <= ?",
            bundleId, first, last)
        return try row?["entries"] ?? 0
    }

    /// Reads an app's first entries between two positions, by business time.
    static func list(
        of bundleId: String, after first: Int64, through last: Int64, limit: Int, in reader: SQLReader
    ) async throws -> [SubscriptionEvent] {
        // The index holds everything the order needs, so that only the rows of the reply are fetched.
        try await reader.query(
            """
            SELECT position, body FROM subscription_event WHERE position IN (
                SELECT position FROM subscription_event WHERE bundle_id = ? AND position > ? AND position <= ?
                ORDER BY at, position LIMIT ?)
            ORDER BY at, position
            """, bundleId, first, last, limit
        ).map { try placed($0).event }
    }

    private static func placed(_ row: SQLRow) throws -> Positioned {
        (try row["position"], try StoredJSON.value(SubscriptionEvent.self, try row["body"]))
    }
}

import Persistence
import StoreModels

/// The journal rows of all customers in the order of their commits.
package enum EventRepository {
    /// Rows one call looks at, whether they match or not.
    static let scanMax = 1_000

    /// Where a scan from behind `after` ends.
    /// - Returns: nil when there is nothing behind it.
    package static func scanEnd(after: Int64, in reader: SQLReader) async throws(PersistenceError) -> Int64? {
        try await reader.queryOne(
            """
            SELECT MAX(position) AS last FROM (
                SELECT position FROM journal WHERE position > ? ORDER BY position LIMIT ?) AS scanned
            """, after, scanMax
        ).flatMap { row throws(PersistenceError) in try row["last"] }
    }

    /// What the request asks for among the rows behind `after` up to `end`, in order.
    package static func events(
        _ request: EventsRequest, after: Int64, through end: Int64, in reader: SQLReader
    ) async throws -> [(event: StoreEvent, position: Int64)] {
        var conditions = ["TRUE"]
        var arguments: [any SQLValueConvertible] = [after, end, scanMax]
        func add(_ condition: String, _ argument: (any SQLValueConvertible)?) {
            guard let argument else { return }
            conditions.append(condition)
            arguments.append(argument)
        }
        add("j.event = ?", request.type)
        add("j.bundle_id = ?", request.bundleId)
        add("c.account = ?", request.account)
        // The inner query has a limit of its own, so that no plan looks at more rows than it allows.
        let rows = try await reader.query(
            """
            SELECT j.position, j.event, j.bundle_id, c.account, j.body FROM (
                SELECT position, event, bundle_id, customer_identifier, body FROM journal
                WHERE position > ? AND position <= ? ORDER BY position LIMIT ?) AS j
            JOIN customer c ON c.bundle_id = j.bundle_id AND c.customer_identifier = j.customer_identifier
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY j.position LIMIT ?
            """, arguments: arguments + [request.limit])
        return try rows.map { row in
            let position: Int64 = try row["position"]
            let event = StoreEvent(
                id: Identifiers.event(position), type: try row["event"], bundleId: try row["bundle_id"],
                account: try row["account"],
                transaction: try StoredJSON.value(PaymentTransaction.self, try row["body"]))
            return (event, position)
        }
    }
}

import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes the extensions that apps' servers ask for.
enum ExtensionRepository {
    // MARK: One subscription

    /// Finds a subscription of an app by its first transaction's identifier.
    static func subscription(
        _ originalIdentifier: String, bundleId: String, in reader: SQLReader
    ) async throws -> DueSubscription? {
        try await reader.queryOne(
            "\(DueSubscription.select) WHERE s.original_identifier = ? AND s.bundle_id = ?", originalIdentifier,
            bundleId
        ).map(DueSubscription.init)
    }

    /// Reads the response to a request. Nil for a new one.
    static func find(
        _ request: String, of value: StoredSubscription, in reader: SQLReader
    ) async throws -> ExtendSubscriptionReply? {
        try await reader.queryOne(
            """
            SELECT effective_at, line_item FROM subscription_extension
            WHERE bundle_id = ? AND request_identifier = ? AND original_id = ?
            """, value.customer.bundleId, request, value.originalID
        ).map { row in
            ExtendSubscriptionReply(
                outcome: .extended, effectiveDate: try row["effective_at"],
                webOrderLineItemIdentifier: try row["line_item"])
        }
    }

    /// Counts a subscription's extensions since an instant of the app's clock, up to `limit`.
    static func count(
        of value: StoredSubscription, since: Timestamp, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> Int {
        try await reader.query(
            "SELECT extended_at FROM subscription_extension WHERE original_id = ? AND extended_at > ? LIMIT ?",
            value.originalID, since.milliseconds, limit
        ).count
    }

    static func insert(
        _ request: String, of value: StoredSubscription, at now: Timestamp, _ reply: ExtendSubscriptionReply,
        in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO subscription_extension (bundle_id, request_identifier, original_id, customer_identifier,
                extended_at, effective_at, line_item)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """, value.customer.bundleId, request, value.originalID, value.customer.customerIdentifier,
            now.milliseconds, reply.effectiveDate?.milliseconds ?? now.milliseconds, reply.webOrderLineItemIdentifier)
    }

    // MARK: All subscriptions of a product

    /// Writes a request, unless it is there.
    static func insert(
        _ request: ExtendSubscriptionsRequest, wall: Timestamp, in transaction: SQLTransaction
    ) async throws {
        // Collated as the identifiers are compared below. An identifier without its last character lies directly
        // before it.
        let last: String?
        if let only = request.only {
            last = try await transaction.queryOne(
                "SELECT original_id FROM subscription WHERE bundle_id = ? AND original_identifier = ?",
                request.bundleId, only)?["original_id"]
        } else {
            last = try await transaction.queryOne(
                """
                SELECT original_id FROM subscription WHERE bundle_id = ? AND product_identifier = ?
                ORDER BY original_id DESC LIMIT 1
                """, request.bundleId, request.productIdentifier)?["original_id"]
        }
        try await transaction.execute(
            """
            INSERT INTO mass_extension (bundle_id, product_identifier, request_identifier, days, storefronts, place,
                last_place, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, request.bundleId, request.productIdentifier, request.requestIdentifier, request.days,
            try request.storefronts.map(StoredJSON.text),
            request.only == nil ? "" : String((last ?? "").dropLast()), last ?? "", wall.milliseconds)
    }

    static func find(
        _ key: SubscriptionExtensionsRequest, in reader: SQLReader
    ) async throws -> StoredMassExtension? {
        try await reader.queryOne(
            """
            SELECT * FROM mass_extension WHERE bundle_id = ? AND product_identifier = ? AND request_identifier = ?
            """, key.bundleId, key.productIdentifier, key.requestIdentifier
        ).map(StoredMassExtension.init)
    }

    /// Reads requests that are not complete, oldest first.
    static func open(limit: Int, in reader: SQLReader) async throws -> [StoredMassExtension] {
        try await reader.query(
            "SELECT * FROM mass_extension WHERE completed_at IS NULL ORDER BY created_at LIMIT ?", limit
        ).map(StoredMassExtension.init)
    }

    /// Reads the next subscriptions that a request is about.
    static func next(
        _ value: StoredMassExtension, limit: Int, in reader: SQLReader
    ) async throws -> [DueSubscription] {
        var conditions = [
            "s.bundle_id = ?", "s.product_identifier = ?", "s.original_id > ?", "s.original_id <= ?",
            "s.state IN ('subscribed', 'inGracePeriod', 'inBillingRetryPeriod')",
        ]
        var arguments: [any SQLValueConvertible] = [
            value.request.bundleId, value.request.productIdentifier, value.position, value.lastPosition,
        ]
        if let storefronts = value.request.storefronts {
            let placeholders = Array(repeating: "?", count: storefronts.count).joined(separator: ", ")
            conditions.append("c.storefront IN (\(placeholders))")
            arguments += storefronts
        }
        return try await reader.query(
            """
            \(DueSubscription.select)
            WHERE \(conditions.joined(separator: " AND ")) ORDER BY s.original_id LIMIT ?
            """, arguments: arguments + [limit]
        ).map(DueSubscription.init)
    }

    /// Records the decision about one subscription.
    /// - Returns: False when another replica has decided about it.
    static func advance(
        _ value: StoredMassExtension, to originalID: String, isExtended: Bool, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE mass_extension SET place = ?, succeeded = succeeded + ?, failed = failed + ?
            WHERE bundle_id = ? AND product_identifier = ? AND request_identifier = ? AND place = ?
                AND completed_at IS NULL
            """, originalID, isExtended ? 1 : 0, isExtended ? 0 : 1, value.request.bundleId,
            value.request.productIdentifier, value.request.requestIdentifier, value.position) == 1
    }

    /// Records that a request is complete.
    /// - Returns: False when another replica has, or has found more to decide about.
    static func complete(
        _ value: StoredMassExtension, at now: Timestamp, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        try await transaction.execute(
            """
            UPDATE mass_extension SET completed_at = ?
            WHERE bundle_id = ? AND product_identifier = ? AND request_identifier = ? AND place = ?
                AND completed_at IS NULL
            """, now.milliseconds, value.request.bundleId, value.request.productIdentifier,
            value.request.requestIdentifier, value.position) == 1
    }
}

/// A request to extend all subscriptions of a product, as stored.
struct StoredMassExtension: Hashable, Sendable {
    var request: ExtendSubscriptionsRequest
    /// The `id` of the last subscription that was decided about. Empty before the first.
    var position: String
    /// The `id` of the last subscription there was at the request.
    var lastPosition: String
    var succeeded: Int64
    var failed: Int64
    /// Business time. Nil until every subscription was decided about.
    var completedAt: Timestamp?

    var wire: SubscriptionExtensions {
        SubscriptionExtensions(
            requestIdentifier: request.requestIdentifier, productIdentifier: request.productIdentifier,
            storefronts: request.storefronts, succeededCount: succeeded, failedCount: failed, completedAt: completedAt)
    }
}

extension StoredMassExtension {
    init(_ row: SQLRow) throws {
        let storefronts: String? = try row["storefronts"]
        self.init(
            request: ExtendSubscriptionsRequest(
                bundleId: try row["bundle_id"], productIdentifier: try row["product_identifier"],
                storefronts: try storefronts.map { try StoredJSON.value([String].self, $0) }, days: try row["days"],
                requestIdentifier: try row["request_identifier"]),
            position: try row["place"], lastPosition: try row["last_place"], succeeded: try row["succeeded"],
            failed: try row["failed"], completedAt: try row["completed_at"])
    }
}

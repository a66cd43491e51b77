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

    /// Looks for the response to a request. Nil for a new one.
    static func find(_ request: String, of value: StoredSubscription) -> SQLLookup<ExtendSubscriptionReply?> {
        SQLLookup(first: ofRequest, value.customer.bundleId, request, value.originalID) { row in
            ExtendSubscriptionReply(
                outcome: .extended, effectiveDate: try row["effective_at"],
                webOrderLineItemIdentifier: try row["line_item"])
        }
    }

    private static let ofRequest = SQLBatchStatement.query(
        """
        SELECT effective_at, line_item FROM subscription_extension
        WHERE bundle_id = ? AND request_identifier = ? AND original_id = ?
        """, .text, .text, .text)

    /// Looks for the instants of a subscription's last extensions, by the app's clock.
    static func last(_ limit: Int, of value: StoredSubscription) -> SQLLookup<[Timestamp]> {
        SQLLookup(ofSubscription, value.originalID, limit) { rows in try rows.values(of: "extended_at") }
    }

    private static let ofSubscription = SQLBatchStatement.query(
        "SELECT extended_at FROM subscription_extension WHERE original_id = ? ORDER BY extended_at DESC LIMIT ?",
        .text, .integer)

    static func insert(
        _ request: String, of value: StoredSubscription, at now: Timestamp, _ reply: ExtendSubscriptionReply
    ) -> SQLChange {
        SQLChange(
            inserted, value.customer.bundleId, request, value.originalID, value.customer.customerIdentifier,
            now.milliseconds, reply.effectiveDate?.milliseconds ?? now.milliseconds, reply.webOrderLineItemIdentifier)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "subscription_extension",
        [
            "bundle_id": .text, "request_identifier": .text, "original_id": .text, "customer_identifier": .text,
            "extended_at": .integer, "effective_at": .integer, "line_item": .text,
        ])

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

    /// Looks for a request, locked until the commit, since other replicas work on it for other customers.
    static func locked(_ key: SubscriptionExtensionsRequest) -> SQLLookup<StoredMassExtension?> {
        SQLLookup(first: ofAll, key.requestIdentifier, key.bundleId, key.productIdentifier) {
            try StoredMassExtension($0)
        }
    }

    private static let ofAll = SQLBatchStatement.query(
        "SELECT * FROM mass_extension WHERE request_identifier = ? AND bundle_id = ? AND product_identifier = ?",
        lock: .waiting, .text, .text, .text)

    /// Records the decision about one subscription.
    /// - Parameter value: The request as its row is.
    static func advance(_ value: StoredMassExtension, to originalID: String, isExtended: Bool) -> SQLChange {
        SQLChange(
            advanced, originalID, value.succeeded + (isExtended ? 1 : 0), value.failed + (isExtended ? 0 : 1),
            value.request.requestIdentifier, value.request.bundleId, value.request.productIdentifier, value.position,
            changes: 1)
    }

    private static let advanced = SQLBatchStatement.update(
        "mass_extension", set: "place = ?, succeeded = ?, failed = ?",
        where: """
            request_identifier = ? AND bundle_id = ? AND product_identifier = ? AND place = ? AND completed_at IS NULL
            """,
        .text, .integer, .integer, .text, .text, .text, .text)

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

    var key: SubscriptionExtensionsRequest {
        SubscriptionExtensionsRequest(
            bundleId: request.bundleId, productIdentifier: request.productIdentifier,
            requestIdentifier: request.requestIdentifier)
    }

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

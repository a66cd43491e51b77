import Persistence
import ServiceDatabase
import StoreModels

/// Reads and writes subscriptions, one per customer and group they began in.
enum SubscriptionRepository {
    static func find(
        group: String, of customer: CustomerReference, in reader: SQLReader
    ) async throws -> StoredSubscription? {
        try await reader.queryOne(
            """
            SELECT * FROM subscription
            WHERE bundle_id = ? AND customer_identifier = ? AND subscription_group = ?
            """, customer.bundleId, customer.customerIdentifier, group
        ).map(StoredSubscription.init)
    }

    /// Finds the subscription in which a transaction has paid a period.
    static func find(
        paidBy transactionID: String, in reader: SQLReader
    ) async throws -> StoredSubscription? {
        try await reader.queryOne(
            """
            SELECT s.* FROM subscription s JOIN subscription_period p ON p.original_id = s.original_id
            WHERE p.transaction_id = ?
            """, transactionID
        ).map(StoredSubscription.init)
    }

    /// Looks for all of a customer's subscriptions, locked until the commit, so that no renewal begins meanwhile.
    static func allLocked(of customer: CustomerReference) -> SQLLookup<[StoredSubscription]> {
        SQLLookup(all: ofCustomerLocked, customer.bundleId, customer.customerIdentifier) { try StoredSubscription($0) }
    }

    private static let ofCustomerLocked = SQLBatchStatement.query(
        "SELECT * FROM subscription WHERE bundle_id = ? AND customer_identifier = ? ORDER BY original_id",
        lock: .waiting, .text, .text)

    /// Looks for all of a customer's subscriptions, in the order of their first purchase.
    static func all(of customer: CustomerReference) -> SQLLookup<[StoredSubscription]> {
        SQLLookup(all: ofCustomer, customer.bundleId, customer.customerIdentifier) { try StoredSubscription($0) }
    }

    private static let ofCustomer = SQLBatchStatement.query(
        """
        SELECT * FROM subscription WHERE bundle_id = ? AND customer_identifier = ?
        ORDER BY CAST(original_identifier AS BIGINT)
        """, .text, .text)

    /// Looks for the customer's waiting purchases, in a partial index.
    static func waitingPurchases(of customer: CustomerReference) -> SQLLookup<[String]> {
        SQLLookup(waiting, customer.bundleId, customer.customerIdentifier) { rows in try rows.values(of: "id") }
    }

    private static let waiting = SQLBatchStatement.query(
        """
        SELECT id FROM payment_transaction
        WHERE bundle_id = ? AND customer_identifier = ? AND phase = 'waiting' LIMIT 100
        """, .text, .text)

    /// Inserts a subscription. The primary key lets a customer begin one subscription in a group (S6).
    static func insert(_ value: StoredSubscription) throws -> SQLChange {
        try change(inserted, value, revision: value.revision, value.originalIdentifier)
    }

    /// Writes a subscription's next revision. A claim on it ends.
    /// - Parameter value: The subscription with the revision that its row has.
    static func update(_ value: StoredSubscription) throws -> SQLChange {
        try change(updated, value, revision: value.revision + 1, value.revision)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "subscription",
        [
            "state": .text, "product_identifier": .text, "level": .integer, "length": .text, "period_index": .integer,
            "period_start": .integer, "active_until": .integer, "active_id": .text, "active_transaction": .text,
            "anchor": .integer, "anchor_count": .integer, "will_auto_renew": .integer, "renew_product": .text,
            "offer": .text, "rate": .text, "paid_group": .text, "price": .text, "renewals": .integer,
            "fails_next": .integer, "retry_since": .integer, "retry_count": .integer, "grace_until": .integer,
            "expiration_reason": .text, "due_at": .integer, "attempt": .text, "revision": .integer,
            "original_id": .text, "bundle_id": .text, "customer_identifier": .text, "subscription_group": .text,
            "original_identifier": .text,
        ])

    private static let updated = SQLBatchStatement.update(
        "subscription",
        set: """
            state = ?, product_identifier = ?, level = ?, length = ?, period_index = ?, period_start = ?,
            active_until = ?, active_id = ?, active_transaction = ?, anchor = ?, anchor_count = ?,
            will_auto_renew = ?, renew_product = ?, offer = ?, rate = ?, paid_group = ?, price = ?, renewals = ?,
            fails_next = ?, retry_since = ?, retry_count = ?, grace_until = ?, expiration_reason = ?, due_at = ?,
            attempt = ?, revision = ?, claimed_by = NULL, claimed_until = 0
            """,
        where: """
            original_id = ? AND bundle_id = ? AND customer_identifier = ? AND subscription_group = ? AND revision = ?
            """,
        .text, .text, .integer, .text, .integer, .integer, .integer, .text, .text, .integer, .integer, .integer,
        .text, .text, .text, .text, .text, .integer, .integer, .integer, .integer, .integer, .text, .integer, .text,
        .integer, .text, .text, .text, .text, .integer)

    /// Makes a change with the row's values, in the order of both statements.
    /// - Parameter last: The value in which the statements differ.
    private static func change(
        _ statement: SQLBatchStatement, _ value: StoredSubscription, revision: Int, _ last: any SQLValueConvertible
    ) throws -> SQLChange {
        let offer = try value.offer.map(StoredJSON.text)
        let price = try value.agreedPrice.map {
            try StoredJSON.text(StoredSubscription.Price(agreed: $0, increase: value.priceIncrease, plan: value.plan))
        }
        return SQLChange(
            statement, value.state, value.product, value.level, value.length.iso8601, value.period.index,
            value.period.start.milliseconds, value.period.end.milliseconds, value.period.transactionID,
            value.period.transactionIdentifier, value.anchor.at.milliseconds, value.anchor.count,
            value.willAutoRenew, value.renewProduct, offer, value.rate, value.paidGroup, price, value.renewals,
            value.failsNext, value.retry.since?.milliseconds, value.retry.count,
            value.retry.graceUntil?.milliseconds, value.expirationReason, value.dueAt?.milliseconds, value.attempt,
            revision, value.originalID, value.customer.bundleId, value.customer.customerIdentifier, value.group, last,
            changes: 1)
    }
}

/// Reads and writes the groups in which subscription products were paid, one row per pair.
enum SubscriptionGroupRepository {
    struct Row: Hashable, Sendable {
        var originalID: String
        var product: String
        var group: String
    }

    /// Inserts a pair, unless it is there.
    static func insert(_ group: String, of product: String, _ subscription: StoredSubscription) -> SQLChange {
        SQLChange(
            inserted, subscription.customer.bundleId, subscription.customer.customerIdentifier,
            subscription.originalID, product, group)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "paid_group",
        [
            "bundle_id": .text, "customer_identifier": .text, "original_id": .text, "product_identifier": .text,
            "subscription_group": .text,
        ], "ON CONFLICT DO NOTHING")

    /// Looks for the groups of a customer's products.
    static func all(of customer: CustomerReference) -> SQLLookup<[Row]> {
        SQLLookup(all: ofCustomer, customer.bundleId, customer.customerIdentifier) { row in
            Row(
                originalID: try row["original_id"], product: try row["product_identifier"],
                group: try row["subscription_group"])
        }
    }

    private static let ofCustomer = SQLBatchStatement.query(
        """
        SELECT original_id, product_identifier, subscription_group FROM paid_group
        WHERE bundle_id = ? AND customer_identifier = ?
        ORDER BY original_id, product_identifier, subscription_group
        """, .text, .text)
}

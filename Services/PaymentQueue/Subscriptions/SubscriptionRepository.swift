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

    /// Reads a customer's subscription of a group, locked until the commit. The customer's lock comes first.
    static func lock(
        group: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws -> StoredSubscription? {
        try await locked(try await startLock(group: group, of: customer, in: transaction))
    }

    /// Starts to read a customer's subscription of a group as ``lock(group:of:in:)`` does, for ``locked(_:)``.
    static func startLock(
        group: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> StartedQuery {
        try await transaction.start(
            """
            SELECT * FROM subscription
            WHERE bundle_id = ? AND customer_identifier = ? AND subscription_group = ? \(transaction.dialect.lockRow)
            """, customer.bundleId, customer.customerIdentifier, group)
    }

    static func locked(_ started: StartedQuery) async throws -> StoredSubscription? {
        try await started.first().map(StoredSubscription.init)
    }

    /// Reads a customer's subscription by its first transaction's `id`, locked until the commit.
    static func lock(
        originalID: String, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws -> StoredSubscription? {
        try await transaction.queryOne(
            """
            SELECT * FROM subscription
            WHERE original_id = ? AND bundle_id = ? AND customer_identifier = ? \(transaction.dialect.lockRow)
            """, originalID, customer.bundleId, customer.customerIdentifier
        ).map(StoredSubscription.init)
    }

    /// Starts to read all of a customer's subscriptions, locked until the commit.
    @discardableResult
    static func startLockAll(
        of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> StartedQuery {
        try await transaction.startAll(
            """
            SELECT * FROM subscription WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY original_id \(transaction.dialect.lockRow)
            """, customer.bundleId, customer.customerIdentifier)
    }

    /// Reads all of a customer's subscriptions, in the order of their first purchase.
    static func all(of customer: CustomerReference, in reader: SQLReader) async throws -> [StoredSubscription] {
        try await all(try await startAll(of: customer, in: reader))
    }

    /// Starts to read all of a customer's subscriptions, for ``all(_:)``.
    static func startAll(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.startAll(
            """
            SELECT * FROM subscription WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY CAST(original_identifier AS BIGINT)
            """, customer.bundleId, customer.customerIdentifier)
    }

    static func all(_ started: StartedQuery) async throws -> [StoredSubscription] {
        try await started.rows().map(StoredSubscription.init)
    }

    /// Reads the customer's waiting purchases from a partial index.
    static func waitingPurchases(
        of customer: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT id FROM payment_transaction
            WHERE bundle_id = ? AND customer_identifier = ? AND phase = 'waiting' LIMIT 100
            """, customer.bundleId, customer.customerIdentifier
        ).values(of: "id")
    }

    /// Inserts a subscription. The primary key lets a customer begin one subscription in a group (S6).
    static func insert(_ value: StoredSubscription, in transaction: SQLTransaction) async throws {
        try await transaction.send(
            """
            INSERT INTO subscription (state, product_identifier, level, length, period_index, period_start,
                active_until, active_id, active_transaction, anchor, anchor_count, will_auto_renew, renew_product,
                offer, rate, paid_group, price, renewals, fails_next, retry_since, retry_count, grace_until,
                expiration_reason, due_at, attempt, revision, bundle_id, customer_identifier, subscription_group,
                original_id, original_identifier)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            arguments: try columns(value) + [
                value.revision, value.customer.bundleId, value.customer.customerIdentifier, value.group,
                value.originalID, value.originalIdentifier,
            ])
    }

    /// Writes a subscription if its row still has the `revision` it was read with. A claim on it ends.
    /// - Returns: The subscription with its new revision, or nil when another writer was first and nothing is written.
    static func update(
        _ value: StoredSubscription, in transaction: SQLTransaction
    ) async throws -> StoredSubscription? {
        var next = value
        next.revision += 1
        let count = try await transaction.execute(
            """
            UPDATE subscription SET state = ?, product_identifier = ?, level = ?, length = ?, period_index = ?,
                period_start = ?, active_until = ?, active_id = ?, active_transaction = ?, anchor = ?,
                anchor_count = ?, will_auto_renew = ?, renew_product = ?, offer = ?, rate = ?, paid_group = ?,
                price = ?, renewals = ?, fails_next = ?, retry_since = ?, retry_count = ?, grace_until = ?,
                expiration_reason = ?, due_at = ?, attempt = ?, revision = ?, claimed_by = NULL, claimed_until = 0
            WHERE original_id = ? AND revision = ?
            """, arguments: try columns(value) + [next.revision, value.originalID, value.revision])
        return count == 1 ? next : nil
    }

    /// Lists a row's values, in the order of both statements' columns.
    private static func columns(_ value: StoredSubscription) throws -> [any SQLValueConvertible] {
        [
            value.state, value.product, value.level, value.length.iso8601, value.period.index,
            value.period.start.milliseconds, value.period.end.milliseconds, value.period.transactionID,
            value.period.transactionIdentifier,
            value.anchor.at.milliseconds, value.anchor.count, value.willAutoRenew, value.renewProduct,
            try value.offer.map(StoredJSON.text), value.rate, value.paidGroup,
            try value.agreedPrice.map {
                try StoredJSON.text(StoredSubscription.Price(agreed: $0, increase: value.priceIncrease))
            }, value.renewals, value.failsNext,
            value.retry.since?.milliseconds, value.retry.count, value.retry.graceUntil?.milliseconds,
            value.expirationReason, value.dueAt?.milliseconds, value.attempt,
        ]
    }
}

/// Reads and writes the groups in which subscription products were paid, one row per pair.
enum SubscriptionGroupRepository {
    struct Row: Hashable, Sendable {
        var originalID: String
        var product: String
        var group: String
    }

    static func insert(
        _ group: String, of product: String, _ subscription: StoredSubscription, in transaction: SQLTransaction
    ) async throws(PersistenceError) {
        try await transaction.send(
            """
            INSERT INTO paid_group (bundle_id, customer_identifier, original_id, product_identifier, subscription_group)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
            """, subscription.customer.bundleId, subscription.customer.customerIdentifier, subscription.originalID,
            product, group)
    }

    static func all(of customer: CustomerReference, in reader: SQLReader) async throws(PersistenceError) -> [Row] {
        var rows: [Row] = []
        for row in try await reader.query(
            """
            SELECT original_id, product_identifier, subscription_group FROM paid_group
            WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY original_id, product_identifier, subscription_group
            """, customer.bundleId, customer.customerIdentifier)
        {
            rows.append(
                Row(
                    originalID: try row["original_id"], product: try row["product_identifier"],
                    group: try row["subscription_group"]))
        }
        return rows
    }
}

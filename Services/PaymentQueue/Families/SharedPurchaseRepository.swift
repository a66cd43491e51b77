import Persistence
import ServiceDatabase
import StoreModels

/// A member's transaction of what another person of the family has bought.
struct SharedPurchase: Hashable, Sendable {
    var buyer: CustomerReference
    /// The `id` of the buyer's transaction.
    var buyerTransaction: String
    /// The revision of the buyer's transaction that the member's shows.
    var buyerRevision: Int
    /// The `id` of the first transaction of the buyer's subscription. Nil for a product without an end.
    var buyerOriginal: String?
    /// The `id` of the member's transaction.
    var transactionID: String
    /// The `id` of the member's first transaction of the same subscription, or of this one.
    var originalID: String
    /// The end of the access that it gives. Nil for a product without an end.
    var expiresAt: Timestamp?
    var isRevoked: Bool
}

/// Reads and writes the pairs of a buyer's transaction and the member's transaction that was made of it.
enum SharedPurchaseRepository {
    // MARK: Decisions

    /// Looks for a member's row of a buyer's transaction. The primary key admits one (F1).
    static func find(_ buyerTransaction: String, of member: CustomerReference) -> SQLLookup<SharedPurchase?> {
        SQLLookup(first: byTransaction, member.bundleId, member.customerIdentifier, buyerTransaction) {
            try SharedPurchase($0)
        }
    }

    private static let byTransaction = SQLBatchStatement.query(
        """
        SELECT * FROM shared_purchase WHERE bundle_id = ? AND customer_identifier = ? AND buyer_transaction = ?
        """, .text, .text, .text)

    /// Looks for the member's latest row of a buyer's subscription.
    static func latest(of buyerOriginal: String, _ member: CustomerReference) -> SQLLookup<SharedPurchase?> {
        SQLLookup(first: byOriginal, member.bundleId, member.customerIdentifier, buyerOriginal) {
            try SharedPurchase($0)
        }
    }

    private static let byOriginal = SQLBatchStatement.query(
        """
        SELECT * FROM shared_purchase
        WHERE bundle_id = ? AND customer_identifier = ? AND buyer_original = ? ORDER BY transaction_id DESC LIMIT 1
        """, .text, .text, .text)

    static func insert(_ shared: SharedPurchase, of member: CustomerReference) -> SQLChange {
        SQLChange(
            inserted, member.bundleId, member.customerIdentifier, shared.buyerTransaction,
            shared.buyer.customerIdentifier, shared.buyerRevision, shared.buyerOriginal, shared.transactionID,
            shared.originalID, shared.expiresAt?.milliseconds)
    }

    private static let inserted = SQLBatchStatement.insert(
        into: "shared_purchase",
        [
            "bundle_id": .text, "customer_identifier": .text, "buyer_transaction": .text, "buyer": .text,
            "buyer_revision": .integer, "buyer_original": .text, "transaction_id": .text, "original_id": .text,
            "expires_at": .integer,
        ])

    /// Writes the buyer's revision, the end, and whether it is revoked.
    static func update(_ shared: SharedPurchase, of member: CustomerReference) -> SQLChange {
        SQLChange(
            updated, shared.buyerRevision, shared.expiresAt?.milliseconds, shared.isRevoked, shared.buyerTransaction,
            member.bundleId, member.customerIdentifier, changes: 1)
    }

    private static let updated = SQLBatchStatement.update(
        "shared_purchase", set: "buyer_revision = ?, expires_at = ?, is_revoked = ?",
        where: "buyer_transaction = ? AND bundle_id = ? AND customer_identifier = ?",
        .integer, .integer, .integer, .text, .text, .text)

    /// Removes the row of a buyer's transaction that was deleted.
    static func remove(_ shared: SharedPurchase, of member: CustomerReference) -> SQLChange {
        SQLChange(removed, shared.buyerTransaction, member.bundleId, member.customerIdentifier)
    }

    private static let removed = SQLBatchStatement.delete(
        from: "shared_purchase", where: "buyer_transaction = ? AND bundle_id = ? AND customer_identifier = ?",
        .text, .text, .text)

    // MARK: The sweep

    /// As ``SharingRules/isLive(_:_:at:)``.
    private static let live = """
        s.expires_at IS NULL OR s.expires_at > ?
            OR u.active_id = s.buyer_transaction AND u.state IN ('subscribed', 'inGracePeriod')
        """

    /// A buyer's transaction, and the member whose transaction of it may have to change.
    struct Pair: Hashable, Sendable {
        var member: CustomerReference
        var buyerTransaction: String
    }

    /// Reads the members' transactions whose cause has changed, is gone, or is not shared any more.
    /// - Parameter now: The app's clock.
    static func stale(
        of buyer: CustomerReference, at now: Timestamp, limit: Int, in reader: SQLReader
    ) async throws -> [Pair] {
        try await reader.query(
            """
            SELECT s.bundle_id, s.customer_identifier, s.buyer_transaction FROM shared_purchase s
            LEFT JOIN payment_transaction t ON t.id = s.buyer_transaction
            LEFT JOIN subscription u ON u.original_id = s.buyer_original
            WHERE s.bundle_id = ? AND s.buyer = ? AND (
                t.id IS NULL
                OR s.is_revoked = 0 AND t.revision <> s.buyer_revision
                OR s.is_revoked = 0
                    AND (\(live))
                    AND NOT EXISTS (
                        SELECT 1 FROM family_person g JOIN family_person r
                            ON r.bundle_id = g.bundle_id AND r.family = g.family
                        WHERE g.bundle_id = s.bundle_id AND g.customer_identifier = s.buyer AND g.shares = 1
                            AND g.is_gone = 0 AND r.customer_identifier = s.customer_identifier AND r.receives = 1
                            AND r.is_gone = 0))
            ORDER BY s.transaction_id LIMIT ?
            """, buyer.bundleId, buyer.customerIdentifier, now.milliseconds, limit
        ).map { Pair(member: try CustomerReference($0), buyerTransaction: try $0["buyer_transaction"]) }
    }

    /// Reads a buyer's transactions that a member lacks: those that give access after an instant, oldest first.
    ///
    /// It reads those that were taken back from the member too, so that they are given again.
    /// - Parameter since: Since when they are shared with the member, business time, at most now.
    static func missing(
        of buyer: CustomerReference, for member: CustomerReference, since: Timestamp, at now: Timestamp, limit: Int,
        in reader: SQLReader
    ) async throws -> [Pair] {
        try await reader.query(
            """
            SELECT t.id AS buyer_transaction FROM (
                SELECT transaction_id AS id, CAST(NULL AS BIGINT) AS ends_at, 0 AS is_graced FROM owned_product
                WHERE bundle_id = ? AND customer_identifier = ?
                UNION ALL
                SELECT p.transaction_id AS id, p.ends_at,
                    CASE WHEN u.state = 'inGracePeriod' AND u.active_id = p.transaction_id THEN 1 ELSE 0 END
                FROM subscription u JOIN subscription_period p ON p.original_id = u.original_id
                WHERE u.bundle_id = ? AND u.customer_identifier = ?
                    AND (p.ends_at > ? OR u.state = 'inGracePeriod' AND u.active_id = p.transaction_id)
            ) AS given
            JOIN payment_transaction t ON t.id = given.id
            LEFT JOIN shared_purchase s
                ON s.bundle_id = ? AND s.customer_identifier = ? AND s.buyer_transaction = given.id
            WHERE t.is_taken_back = 0 AND t.terms LIKE '%"isFamilyShareable":true%'
                AND t.body NOT LIKE '%"isUpgraded":true%'
                AND (s.transaction_id IS NULL
                        AND (given.ends_at IS NULL OR given.ends_at > ? OR given.is_graced = 1)
                    OR s.is_revoked = 1 AND (given.ends_at IS NULL OR given.ends_at > ? OR given.is_graced = 1))
            ORDER BY t.history_seq LIMIT ?
            """, buyer.bundleId, buyer.customerIdentifier, buyer.bundleId, buyer.customerIdentifier,
            since.milliseconds, member.bundleId, member.customerIdentifier, since.milliseconds, now.milliseconds, limit
        ).map { Pair(member: member, buyerTransaction: try $0["buyer_transaction"]) }
    }

    /// Tells whether something is shared with a person, or of theirs, that gives access.
    static func isAnyLive(
        of person: CustomerReference, at now: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Bool {
        try await reader.queryOne(
            """
            SELECT s.transaction_id FROM shared_purchase s LEFT JOIN subscription u ON u.original_id = s.buyer_original
            WHERE s.bundle_id = ? AND (s.customer_identifier = ? OR s.buyer = ?) AND s.is_revoked = 0
                AND (\(live))
            LIMIT 1
            """, person.bundleId, person.customerIdentifier, person.customerIdentifier, now.milliseconds) != nil
    }

    // MARK: Statuses

    /// A subscription that is shared with a member, as it is known from its buyer.
    struct Subscribed: Sendable {
        /// The member's latest transaction of it.
        var latest: StoredTransaction
        var shared: SharedPurchase
        /// The buyer's, or nil if it was deleted.
        var subscription: StoredSubscription?

        /// The subscription as the member has it.
        /// - Parameter now: The app's clock.
        func seen(at now: Timestamp) -> StoredSubscription? { subscription?.shared(latest, shared, at: now) }
    }

    /// Reads the subscriptions that are or were shared with a member, in the order of their latest transactions.
    static func subscriptions(of member: CustomerReference, in reader: SQLReader) async throws -> [Subscribed] {
        let rows = try await reader.query(
            """
            SELECT s.* FROM shared_purchase s JOIN payment_transaction t ON t.id = s.transaction_id
            WHERE s.bundle_id = ? AND s.customer_identifier = ? AND t.history_seq IN (
                SELECT MAX(v.history_seq) FROM shared_purchase n JOIN payment_transaction v ON v.id = n.transaction_id
                WHERE n.bundle_id = ? AND n.customer_identifier = ? AND n.buyer_original IS NOT NULL
                GROUP BY n.original_id)
            ORDER BY t.history_seq
            """, member.bundleId, member.customerIdentifier, member.bundleId, member.customerIdentifier
        ).map(SharedPurchase.init)
        var found: [Subscribed] = []
        for shared in rows {
            guard let latest = try await reader.read(TransactionRepository.find(shared.transactionID, of: member))
            else { continue }
            let known = try await reader.read(SubscriptionRepository.all(of: shared.buyer))
            found.append(
                Subscribed(
                    latest: latest, shared: shared,
                    subscription: known.first { shared.buyerOriginal?.isExactly($0.originalID) ?? false }))
        }
        return found
    }
}

extension SharedPurchase {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            buyer: CustomerReference(bundleId: try row["bundle_id"], customerIdentifier: try row["buyer"]),
            buyerTransaction: try row["buyer_transaction"], buyerRevision: try row["buyer_revision"],
            buyerOriginal: try row["buyer_original"], transactionID: try row["transaction_id"],
            originalID: try row["original_id"], expiresAt: try row["expires_at"], isRevoked: try row["is_revoked"])
    }
}

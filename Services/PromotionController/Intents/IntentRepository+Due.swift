import Persistence
import StoreModels

/// Queries for due intents. Rows locked by another transaction are being processed already and are skipped.
extension IntentRepository {
    /// Locks pending intents whose time to answer is over.
    static func lockUnanswered(
        at wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws -> [StoredIntent] {
        try await transaction.query(
            """
            SELECT * FROM purchase_intent WHERE state = 'pending' AND (answer_by <= ? OR answer_by > ?)
            ORDER BY answer_by LIMIT ? \(transaction.dialect.skipLocked)
            """, wall.milliseconds, StorePurchaseIntent.Life.answerByMax(wall).milliseconds, limit
        ).map(StoredIntent.init)
    }

    /// Locks open intents of an app that have expired.
    static func lockExpired(
        of bundleId: String, at business: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws -> [StoredIntent] {
        try await transaction.query(
            """
            SELECT * FROM purchase_intent
            WHERE bundle_id = ? AND expires_at <= ? AND state IN ('pending', 'deferred')
            ORDER BY expires_at LIMIT ? \(transaction.dialect.skipLocked)
            """, bundleId, business.milliseconds, limit
        ).map(StoredIntent.init)
    }

    /// Tells whether the time to answer of any intent is over.
    static func hasUnanswered(at wall: Timestamp, in reader: SQLReader) async throws(PersistenceError) -> Bool {
        try await reader.queryOne(
            """
            SELECT 1 AS found FROM purchase_intent
            WHERE state = 'pending' AND (answer_by <= ? OR answer_by > ?) LIMIT 1
            """, wall.milliseconds, StorePurchaseIntent.Life.answerByMax(wall).milliseconds) != nil
    }

    /// Tells whether an app has an expired intent.
    static func hasExpired(
        of bundleId: String, at business: Timestamp, in reader: SQLReader
    ) async throws(PersistenceError) -> Bool {
        try await reader.queryOne(
            """
            SELECT 1 AS found FROM purchase_intent
            WHERE bundle_id = ? AND expires_at <= ? AND state IN ('pending', 'deferred') LIMIT 1
            """, bundleId, business.milliseconds) != nil
    }

    /// Reads apps after `after` that have open intents, in the order of their identifiers.
    ///
    /// Each app costs one index lookup, regardless of its number of intents: the sweep reads them twice a second.
    static func appsWithOpen(
        after: String, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        var apps: [String] = []
        while apps.count < limit, let row = try await reader.queryOne(nextAppSQL, apps.last ?? after) {
            apps.append(try row["bundle_id"])
        }
        return apps
    }

    /// Finds the next app with an open intent, from the index `purchase_intent_expiring`.
    static let nextAppSQL = """
        SELECT bundle_id FROM purchase_intent WHERE bundle_id > ? AND state IN ('pending', 'deferred')
        ORDER BY bundle_id LIMIT 1
        """

    /// Reads continued intents after `after` whose payment PaymentQueue has not confirmed, by identifier.
    static func unadded(after: String, limit: Int, in reader: SQLReader) async throws -> [StoredIntent] {
        try await reader.query(
            """
            SELECT * FROM purchase_intent WHERE state = 'continued' AND is_added = 0 AND intent_identifier > ?
            ORDER BY intent_identifier LIMIT ?
            """, after, limit
        ).map(StoredIntent.init)
    }

    /// Removes at most `limit` final intents that began before `wall`, except those with unconfirmed payments.
    /// - Returns: The number of removed rows.
    static func prune(
        startedBefore wall: Timestamp, limit: Int, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Int {
        try await transaction.execute(
            """
            DELETE FROM purchase_intent WHERE intent_identifier IN (
                SELECT intent_identifier FROM purchase_intent
                WHERE started_at < ? AND (state IN ('cancelled', 'expired') OR is_added = 1)
                ORDER BY started_at LIMIT ?)
            """, wall.milliseconds, limit)
    }
}

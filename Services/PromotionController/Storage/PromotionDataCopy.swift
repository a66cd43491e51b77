import Persistence
import ServiceDatabase
import StoreModels

/// Copies an isolated store's devices, installations and purchases that began in the store into another store.
struct PromotionDataCopy: Sendable {
    /// Tables whose rows are copied. A table comes after those that it refers to.
    private static let tables = [
        StoreCopy.Table("device", app: "scope"), StoreCopy.Table("installation"),
        StoreCopy.Table("intent_event", filled: ["position", "xact"]), StoreCopy.Table("intent_head"),
        StoreCopy.Table("purchase_intent"), StoreCopy.Table("app_prompt"), StoreCopy.Table("purchase_start"),
    ]

    let database: any SQLDatabase

    /// Copies the store's rows in one commit.
    /// - Throws: `requestInvalid`, or `serviceUnavailable`: with `retryAfterMs` 0 while an app is being asked, or a payment
    ///   is on its way to PaymentQueue.
    func copy(_ request: CopyAppRequest, deadline: ContinuousClock.Instant) async throws -> Empty {
        let copy = try StoreCopy(request)
        return try await StoreCopy.commit(in: database, until: deadline) { transaction in
            let busy = try await transaction.queryOne(
                """
                SELECT 1 FROM purchase_intent WHERE bundle_id = ?
                    AND (state = 'continued' AND is_added = 0 OR state = 'pending' AND answer_by IS NOT NULL) LIMIT 1
                """, request.from)
            guard busy == nil else {
                throw StoreError(
                    .serviceUnavailable, "the store is not idle: an app is deciding about a purchase, or continues it",
                    retryAfterMs: 0)
            }
            try await Self.copyRows(copy, in: transaction)
            return Empty()
        }
    }

    static func copyRows(_ copy: StoreCopy, in transaction: SQLTransaction) async throws {
        for table in tables { try await copy.copy(table, in: transaction) }
    }
}

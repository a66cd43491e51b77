import Persistence
import ServiceDatabase
import StoreModels

/// Copies the charges and refunds of an isolated store, so that those of another store's purchases can be refunded.
struct LedgerCopy: Sendable {
    private static let charges = StoreCopy.Table(
        "charge", filled: ["charge_number"], where: "\(PaymentProcessorSchema.isOfStore) AND outcome <> 'pending'")
    private static let refunds = StoreCopy.Table("refund", filled: ["refund_number"])

    let database: any SQLDatabase

    /// Copies the store's rows in one commit.
    /// - Throws: `requestInvalid`, `serviceUnavailable` after the deadline, or ``PersistenceError``.
    func copy(_ request: CopyAppRequest, deadline: ContinuousClock.Instant) async throws -> Empty {
        let copy = try StoreCopy(request)
        return try await StoreCopy.commit(in: database, until: deadline) { transaction in
            try await Self.copyRows(copy, in: transaction)
            return Empty()
        }
    }

    static func copyRows(_ copy: StoreCopy, in transaction: SQLTransaction) async throws {
        for row in try await copy.rows(of: charges, in: transaction) {
            let key: String = try row["charge_key"]
            let refunds = try await transaction.startAll(
                "SELECT * FROM refund WHERE charge_key = ? ORDER BY refund_number", key)
            try await copy.insert(row, into: charges, in: transaction)
            for refund in try await refunds.rows() {
                try await copy.insert(refund, into: Self.refunds, in: transaction)
            }
        }
    }
}

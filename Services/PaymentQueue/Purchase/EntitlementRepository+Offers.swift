import Persistence
import StoreModels

/// Reads what decides about offers other than the introductory one.
extension EntitlementRepository {
    /// Reserves the nonce of a promotional offer for a payment.
    ///
    /// A nonce counts once in an app. The first payment keeps it, also if the purchase fails.
    /// - Returns: False when another payment has it.
    static func takeNonce(
        _ nonce: String, for payment: Payment, of customer: CustomerReference, in transaction: SQLTransaction
    ) async throws(PersistenceError) -> Bool {
        let nonce = nonce.lowercased()
        try await transaction.execute(
            """
            INSERT INTO offer_nonce (bundle_id, nonce, customer_identifier, request_key) VALUES (?, ?, ?, ?)
            ON CONFLICT (bundle_id, nonce) DO NOTHING
            """, customer.bundleId, nonce, customer.customerIdentifier, payment.requestIdentifier)
        return try await transaction.queryOne(
            """
            SELECT 1 AS found FROM offer_nonce
            WHERE bundle_id = ? AND nonce = ? AND customer_identifier = ? AND request_key = ?
            """, customer.bundleId, nonce, customer.customerIdentifier, payment.requestIdentifier) != nil
    }

    /// Reads what decides about win-back offers. Only periods that were paid and not refunded count.
    ///
    /// It reads every period, so it is called only when such an offer is redeemed or listed.
    static func winBackFacts(
        of subscription: StoredSubscription?, history: SubscriptionGroupHistory?, in reader: SQLReader
    ) async throws -> WinBackFacts {
        guard let subscription else { return WinBackFacts(history: history, paidMonths: 0, expiredAt: nil) }
        let periods = try await reader.query(
            """
            SELECT t.* FROM subscription_period p JOIN payment_transaction t ON t.id = p.transaction_id
            WHERE p.original_id = ? ORDER BY p.period_index
            """, subscription.originalID
        ).map(StoredTransaction.init)
        let paid = periods.filter { period in
            (period.transaction.price?.minorUnits ?? 0) > 0 && period.transaction.revocationDate == nil
        }
        let winBacks = periods.filter { $0.transaction.offer?.type == .winBack }
        return WinBackFacts(
            history: history,
            paidMonths: WinBackFacts.months(of: paid.compactMap { $0.terms?.subscription?.accessPeriod }),
            expiredAt: periods.last?.transaction.revocationDate ?? subscription.period.end,
            lastWinBackAt: winBacks.compactMap(\.transaction.transactionDate).max())
    }
}

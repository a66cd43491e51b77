import ServiceDatabase
import StoreModels

extension CustomerCommit {
    /// What a customer wants the next renewal to buy.
    /// - Throws: `requestInvalid` for a product that takes effect at once, which is bought; `transactionStateInvalid`.
    mutating func prefer(
        _ wanted: SubscriptionChangePolicy.Wanted, to known: StoredSubscription
    ) async throws -> StoredSubscription {
        switch SubscriptionChangePolicy.decide(wanted, known, now: now) {
        case .schedule: return try await apply(.changeScheduled(to: wanted.product, by: nil), to: known, at: now)
        case .revert: return try await apply(.changeReverted(by: nil), to: known, at: now)
        case .alreadySubscribed: return known
        case .replace:
            throw StoreError(
                .requestInvalid, "buy it: this change takes effect at once",
                details: ["path": .string("$.autoRenewProductIdentifier")])
        case .begin: throw StoreError(.transactionStateInvalid, "the subscription has ended; buy the product")
        }
    }

    /// Writes another expiry into the transaction of the present period; whoever has not finished it is told.
    /// - Returns: the transaction as it is then.
    mutating func move(_ id: String, expiry: Timestamp) async throws -> PaymentTransaction? {
        guard let stored = try await TransactionRepository.find(id, of: customer, in: transaction) else { return nil }
        var next = stored
        next.transaction.expiresDate = expiry
        next.transaction.revision += 1
        let body = try StoredJSON.text(next.transaction)
        guard try await TransactionRepository.advance(next, body: body, from: stored, in: transaction) else {
            throw StoreError(.internal, "a transaction was changed outside its customer's lock")
        }
        try journal(stored.isFinished ? .subscriptionChanged : .updated, next.transaction, event: nil, body: body)
        return next.transaction
    }
}

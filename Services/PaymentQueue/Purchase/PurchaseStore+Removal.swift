import Persistence
import StoreModels

extension PurchaseStore {
    /// Transactions that are gone.
    struct Removed: Sendable {
        var ids: [String]
        /// What open streams have to hear, now that it is committed.
        var changes: [CustomerChange]
        /// Only such are left that the processor may be asked about.
        var isAll: Bool
    }

    /// Transactions of one removal; more take another commit, so that purchases get their turn.
    static let removalMax = 500

    /// The customers a history is cleared of.
    /// - Throws: `notFound` for an account that is unknown in the app.
    func scope(_ request: ClearHistoryRequest) async throws -> HistoryScope {
        guard let account = request.account else { return HistoryScope(bundleId: request.bundleId) }
        return try await database.read { reader in
            guard
                let customer = try await CustomerRepository.find(
                    account: account, bundleId: request.bundleId, in: reader)
            else { throw StoreError(.notFound, "no such account in this app") }
            return HistoryScope(
                bundleId: customer.id.bundleId, customerIdentifier: customer.id.customerIdentifier)
        }
    }

    /// One transaction as a scope.
    /// - Throws: `notFound`.
    func scope(of id: String) async throws -> HistoryScope {
        guard let stored = try await find(spelled: id) else { throw StoreError(.notFound, "no such transaction") }
        return HistoryScope(
            bundleId: stored.customer.bundleId, customerIdentifier: stored.customer.customerIdentifier,
            transactionID: stored.id)
    }

    /// Purchases the processor may be asked about right now; they can not be removed.
    func charging(_ scope: HistoryScope, after: String, limit: Int) async throws -> [StoredTransaction] {
        try await database.read { reader in
            try await HistoryRepository.charging(scope, after: after, limit: limit, in: reader)
        }
    }

    /// Removes transactions for good, at most ``removalMax``, but for such that the processor may be asked about. The
    /// journals go on and say so of those that were in a queue. Restores go too, without a word.
    func remove(_ scope: HistoryScope) async throws -> Removed {
        try await database.write { transaction in
            let rows = try await HistoryRepository.removable(scope, limit: Self.removalMax, in: transaction)
            let restores = try await HistoryRepository.removeRestores(scope, limit: Self.removalMax, in: transaction)
            var removed = Removed(
                ids: [], changes: [], isAll: rows.count < Self.removalMax && restores < Self.removalMax)
            // In the order of the customers, as everybody who locks several does.
            for group in rows.chunked(on: \.customer) {
                let commit = try await Self.remove(group, of: scope, in: transaction, clock: clock)
                guard let commit else { continue }
                removed.ids += commit.output
                removed.changes += commit.changes
            }
            if !rows.isEmpty { try checkpoint(.insideRemovalCommit) }
            return removed
        }
    }

    /// Removes transactions of one customer. They are looked at again under the customer's lock: meanwhile one may have
    /// come so far that the processor is asked.
    /// - Returns: the identifiers of those that are gone.
    private static func remove(
        _ rows: [StoredTransaction], of scope: HistoryScope, in transaction: SQLTransaction, clock: BusinessClock
    ) async throws -> CustomerTransaction.Committed<[String]>? {
        guard let customer = rows.first?.customer else { return nil }
        return try await CustomerTransaction.run(customer, in: transaction, clock: clock) { commit in
            let own = HistoryScope(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
                transactionID: scope.transactionID)
            // No renewal of theirs begins from here on.
            try await SubscriptionRepository.lockAll(of: customer, in: transaction)
            var ids: [String] = []
            for stored in try await HistoryRepository.removable(own, limit: rows.count, in: transaction) {
                // No event: it was not finished.
                if !stored.isFinished { try commit.journalRemoval(of: stored.transaction, event: nil) }
                try await HistoryRepository.remove(stored.id, of: customer, in: transaction)
                ids.append(stored.id)
            }
            return ids
        }
    }

    /// Uses up promoted purchases whose payments may be on their way here: one that comes later is refused, and one
    /// that was written before is there to be cleared.
    func use(_ intents: [String], of bundleId: String) async throws {
        guard !intents.isEmpty else { return }
        try await database.write { transaction in
            // In one order, as everybody who writes several does.
            for intent in intents.sorted() {
                _ = try await UsedIntentRepository.use(intent, of: bundleId, in: transaction)
            }
        }
    }

    /// Sets the app's clock to the wall clock, and waits for the commits that have read it before.
    func resetClock(of bundleId: String) async throws {
        try await database.write { transaction in
            try await CustomerRepository.resetClock(of: bundleId, wall: clock.wall(), in: transaction)
        }
        try await database.write { transaction in
            try await CustomerRepository.awaitCommits(of: bundleId, in: transaction)
        }
    }
}

extension Array {
    /// Neighbours with the same key, together.
    fileprivate func chunked<Key: Equatable>(on key: (Element) -> Key) -> [[Element]] {
        reduce(into: []) { groups, element in
            if let last = groups.last?.last, key(last) == key(element) {
                groups[groups.count - 1].append(element)
            } else {
                groups.append([element])
            }
        }
    }
}

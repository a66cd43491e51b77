import Persistence
import StoreModels

extension PurchaseStore {
    /// Transactions that are gone.
    package struct Removed: Sendable {
        package var ids: [String]
        /// What open streams have to hear, now that it is committed.
        package var changes: [CustomerChange]
    }

    /// Transactions of one removal; more take another commit, so that purchases get their turn.
    package static let removalMax = 500

    /// The customers a history is cleared of.
    /// - Throws: `notFound` for an account that is unknown in the app.
    package func scope(_ request: ClearHistoryRequest) async throws -> HistoryScope {
        guard let account = request.account else { return HistoryScope(bundleId: request.bundleId) }
        return try await database.read { reader in
            guard
                let customer = try await CustomerRepository.find(account: account, bundleId: request.bundleId, in: reader)
            else { throw StoreError(.notFound, "no such account in this app") }
            return HistoryScope(
                bundleId: customer.id.bundleId, customerIdentifier: customer.id.customerIdentifier)
        }
    }

    /// Purchases the processor may be asked about right now; they can not be removed.
    package func charging(_ scope: HistoryScope, after: String, limit: Int) async throws -> [StoredTransaction] {
        try await database.read { reader in
            try await HistoryRepository.charging(scope, after: after, limit: limit, in: reader)
        }
    }

    /// Removes transactions for good, at most ``removalMax``: fewer mean that only such are left that the processor may
    /// be asked about. The journals go on and say so of those that were in a queue.
    package func remove(_ scope: HistoryScope) async throws -> Removed {
        try await database.write { transaction in
            let wall = clock.wall()
            let rows = try await HistoryRepository.removable(scope, limit: Self.removalMax, in: transaction)
            var changes: [CustomerChange] = []
            for stored in rows {
                if !stored.isFinished {
                    await changes.append(
                        try JournalRepository.appendRemoval(
                            of: stored.transaction, of: stored.customer, wall: wall, in: transaction))
                }
                try await HistoryRepository.remove(stored.id, in: transaction)
            }
            if !rows.isEmpty { try checkpoint(.insideRemovalCommit) }
            return Removed(ids: rows.map(\.id), changes: changes)
        }
    }

    /// Sets the app's clock to the wall clock.
    package func resetClock(of bundleId: String) async throws {
        try await database.write { transaction in
            try await CustomerRepository.resetClock(of: bundleId, wall: clock.wall(), in: transaction)
        }
    }
}

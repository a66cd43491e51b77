import Persistence
import ServiceDatabase
import StoreModels

/// Finds subscriptions whose price exceeds the agreed one, and asks their testers.
///
/// An import does not say which customers it concerns, so each sweep reads all subscriptions of such testers.
struct PriceConsentService: QueuePart {
    /// Time between two sweeps.
    static let interval: Duration = .seconds(1)
    /// Number of accounts in one page of a sweep.
    static let pageSize = 100

    let context: QueueContext

    /// Sweeps while a tester's settings ask about prices. An import can raise a price at any time.
    func round() async throws -> BackgroundJob.Rest {
        let isAnyAsked = try await database.read { reader in
            try await !PriceConsentRepository.accounts(after: "", limit: 1, in: reader).isEmpty
        }
        guard isAnyAsked else { return .untilCommit() }
        try await sweep()
        return .interval
    }

    /// Compares the agreed price of every renewing subscription with its product's.
    /// - Returns: The number of subscriptions that have changed.
    @discardableResult
    func sweep() async throws -> Int {
        var (count, after) = (0, "")
        while true {
            let cursor = after
            let accounts = try await database.read { reader in
                try await PriceConsentRepository.accounts(after: cursor, limit: Self.pageSize, in: reader)
            }
            for account in accounts { count += try await update(account) }
            guard let last = accounts.last, accounts.count == Self.pageSize else { return count }
            after = last
        }
    }

    private func update(_ account: String) async throws -> Int {
        let rows = try await database.read { reader in
            try await PriceConsentRepository.renewing(of: account, in: reader)
        }
        var count = 0
        for row in rows {
            // Without Catalog no price is known; the next sweep asks again.
            guard let quote = try? await quotes.quote(row.quoteRequest, until: .now + RenewalService.quoteTime),
                change(of: row.value, row, quote) != nil
            else { continue }
            try await write(row, quote)
            count += 1
        }
        return count
    }

    private func change(of value: StoredSubscription, _ row: DueSubscription, _ quote: Quote) -> SubscriptionTransition?
    {
        PriceConsentPolicy.change(of: value, quote, row.context(quote).tester.priceConsent ?? .agree)
    }

    /// Decides again under the locks, because a renewal may have been first.
    private func write(_ row: DueSubscription, _ quote: Quote) async throws {
        let value = row.value
        let committed = try await commits.commit(
            value.customer,
            asking: CustomerState.lookups(about: value)
                + [PromptRepository.find(about: value.period.transactionID, .priceConsent, value.customer).key]
        ) { state in
            guard let known = try state.subscription(originalID: value.originalID), known.attempt == nil,
                known.state.isExisting, let change = change(of: known, row, quote)
            else { return }
            try state.apply(change, to: known, at: state.now)
        }
        for change in committed.changes { publish(change) }
    }
}

/// Reads the accounts with a price consent setting, and their subscriptions.
private enum PriceConsentRepository {
    /// Reads the accounts whose settings have `priceConsent`, by name.
    static func accounts(
        after: String, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> [String] {
        return try await reader.query(
            """
            SELECT DISTINCT account FROM tester
            WHERE account > ? AND settings LIKE '%"priceConsent":%' ORDER BY account LIMIT ?
            """, after, limit
        ).values(of: "account")
    }

    /// Reads an account's subscriptions with automatic renewal, in every app.
    static func renewing(of account: String, in reader: SQLReader) async throws -> [DueSubscription] {
        try await reader.query(
            """
            \(DueSubscription.select)
            WHERE c.account = ? AND s.will_auto_renew = 1 AND s.attempt IS NULL
                AND s.state IN ('subscribed', 'inGracePeriod', 'inBillingRetryPeriod')
            ORDER BY s.original_id
            """, account
        ).map(DueSubscription.init)
    }
}

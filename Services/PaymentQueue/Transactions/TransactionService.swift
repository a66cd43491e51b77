import BusService
import Persistence
import StoreModels

/// Reads, finishes and lists transactions, and summarizes customers' offers.
struct TransactionService: QueuePart {
    /// Maximum number of transactions in one page.
    static let pageMax = 100

    let context: QueueContext

    /// Reads a transaction.
    /// - Throws: `notFound`, also for another customer's, and for one this device does not see.
    func get(_ request: TransactionRequest) async throws -> PaymentTransaction {
        try await database.read { reader in
            let stored = try await Self.visible(request, in: reader)
            let shown = try await DownloadRepository.view([stored], deviceId: request.deviceId, in: reader)
            return (shown.first ?? stored).transaction
        }
    }

    /// Removes a transaction from the queue on all devices (M53). Finishing again returns the same and publishes
    /// nothing (M54).
    /// - Throws: `notFound`, or `transactionNotFinishable` while purchasing or deferred.
    func finish(_ request: TransactionRequest) async throws -> PaymentTransaction {
        let committed = try await database.write { transaction in
            let committed = try await CustomerTransaction.run(request.customer, in: transaction, clock: clock) {
                commit in
                let stored = try await Self.visible(request, in: transaction)
                return try await commit.finish(stored, deviceId: request.deviceId)
            }
            if !committed.changes.isEmpty { try checkpoint(.insideFinishCommit) }
            return committed
        }
        try checkpoint(.afterFinishCommit)
        for change in committed.changes { publish(change) }
        return committed.output
    }

    /// Number of transactions read at once to change their tokens.
    private static let tokenBatch = 200

    /// Gives a purchase, its renewals and its restored copies another `appAccountToken`. Later renewals have it, too.
    /// - Throws: `requestInvalid` for a transaction that is not an original, or `notFound`, also for another app's.
    func setAppAccountToken(_ request: SetAppAccountTokenRequest) async throws -> Empty {
        let identifier = request.originalTransactionIdentifier
        let unknown = StoreError(.notFound, "transaction '\(identifier)' not found")
        let committed = try await database.write { transaction in
            guard
                let found = try await TransactionRepository.find(
                    identifier: identifier, ofApp: request.bundleId, in: transaction)
            else { throw unknown }
            let original = found.transaction.originalTransactionIdentifier
            guard original == nil || original.isExactly(identifier) else {
                throw StoreError.requestInvalid(
                    "originalTransactionIdentifier", "transaction '\(identifier)' is not the original one")
            }
            return try await CustomerTransaction.run(found.customer, in: transaction, clock: clock) { commit in
                var after: Int64 = 0
                while true {
                    let page = try await TransactionRepository.history(
                        of: found.customer, after: after, limit: Self.tokenBatch, in: transaction)
                    for stored in page {
                        try await commit.setAppAccountToken(request.appAccountToken, of: stored, original: identifier)
                    }
                    guard page.count == Self.tokenBatch, let last = page.last?.historySeq else { return }
                    after = last
                }
            }
        }
        for change in committed.changes { publish(change) }
        return Empty()
    }

    private static func visible(_ request: TransactionRequest, in reader: SQLReader) async throws -> StoredTransaction {
        guard
            let stored = try await TransactionRepository.find(identifier: request.id, of: request.customer, in: reader),
            stored.transaction.isVisible(to: request.deviceId)
        else { throw StoreError(.notFound, "no such transaction") }
        return stored
    }

    /// Lists the customer's purchased and restored transactions in the order of their purchase or restore.
    ///
    /// A caller may keep an `after`: later transactions follow it. Downloads are those of the device each transaction
    /// began on.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer or `after`.
    func history(_ request: HistoryRequest) async throws -> TransactionsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let customer = request.customer
            guard try await CustomerRepository.find(customer, in: reader) != nil else {
                throw StoreError(.notFound, "no such customer")
            }
            var after: Int64 = 0
            if let id = request.after {
                guard let seq = try await TransactionRepository.find(id, of: customer, in: reader)?.historySeq else {
                    throw StoreError(.notFound, "'after' is not a transaction of this customer's history")
                }
                after = seq
            }
            let rows = try await TransactionRepository.history(
                of: customer, after: after, limit: request.limit + 1, in: reader)
            let shown = try await DownloadRepository.view(
                rows.prefix(request.limit).map { ($0, $0.transaction.originDeviceId) }, in: reader)
            let page = try ReplyBudget.fitting(shown.map(\.transaction))
            return TransactionsPage(transactions: page, after: page.count == rows.count ? nil : page.last?.id)
        }
    }

    /// Lists transactions of all customers for the operator, with downloads as in ``history(_:)``.
    /// - Throws: `requestInvalid`.
    func list(_ request: TransactionListRequest) async throws -> TransactionsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            var wanted = request
            wanted.limit += 1
            let rows = try await TransactionRepository.list(wanted, in: reader)
            let shown = try await DownloadRepository.view(
                rows.prefix(request.limit).map { ($0.0, $0.0.transaction.originDeviceId) }, in: reader)
            // The record beside each transaction is small and bounded; 1 KiB covers it.
            let page = try ReplyBudget.fitting(zip(shown, rows).map { ($0, account: $1.account) }) {
                try StoreJSON.encode($0.0.transaction).count + $0.account.utf8.count + 1024
            }
            return TransactionsPage(
                transactions: page.map(\.0.transaction), records: page.map { .init($0, account: $1) },
                after: page.count == rows.count ? nil : page.last?.0.id)
        }
    }

    /// Reads one transaction of any customer for the operator, with downloads as in ``history(_:)``.
    /// - Throws: `notFound`, also for a transaction of another isolated store.
    func find(_ named: ScopedIdentifier) async throws -> RecordedTransaction {
        try await database.read { reader in
            let stored = try await Self.operated(named, in: reader)
            guard let customer = try await CustomerRepository.find(stored.customer, in: reader) else {
                throw StoreError(.internal, "a transaction without its customer")
            }
            let shown = try await DownloadRepository.view(
                [stored], deviceId: stored.transaction.originDeviceId, in: reader)
            return RecordedTransaction(
                transaction: (shown.first ?? stored).transaction, record: .init(stored, account: customer.account))
        }
    }

    /// Gives an unfinished transaction to the app's observers once more.
    ///
    /// Open streams get it like any change. It does not count as a launch's delivery (M51).
    /// - Throws: `notFound`, or `transactionStateInvalid` for one that is finished or purchasing.
    func redeliver(_ named: ScopedIdentifier) async throws -> PaymentTransaction {
        let committed = try await database.write { transaction in
            let known = try await Self.operated(named, in: transaction)
            return try await CustomerTransaction.run(known.customer, in: transaction, clock: clock) { commit in
                // Read again under the customer's lock.
                try await commit.redeliver(try await Self.operated(named, in: transaction))
            }
        }
        for change in committed.changes { publish(change) }
        return committed.output
    }

    /// Reads the transaction that an operator names.
    /// - Throws: `notFound`, also for a transaction of another scope.
    private static func operated(_ named: ScopedIdentifier, in reader: SQLReader) async throws -> StoredTransaction {
        guard let stored = try await TransactionRepository.find(named, in: reader) else {
            throw StoreError(.notFound, "no such transaction")
        }
        return stored
    }

    /// Summarizes the facts for introductory offers of an app's customers, from one snapshot. An unknown one gets nil.
    /// - Throws: `requestInvalid` for too many.
    func offerSummaries(_ request: OfferSummariesRequest) async throws -> OfferSummaries {
        let count = request.customerIdentifiers.count
        guard count <= EligibilityBatch.customersMax else {
            throw StoreError(
                .requestInvalid,
                "customerIdentifiers: has \(count) of them; \(EligibilityBatch.customersMax) are allowed")
        }
        return try await database.read { reader in
            var now: Timestamp?
            let summaries = try await reader.pipelined(request.customerIdentifiers) { identifier in
                let customer = CustomerReference(bundleId: request.bundleId, customerIdentifier: identifier)
                return (
                    try await CustomerRepository.startFindWithClock(customer, in: reader),
                    try await EntitlementRepository.startHistory(of: customer, in: reader)
                )
            } finish: { (customer, history) -> OfferSummary?? in
                guard let found = try await CustomerRepository.foundWithClock(customer) else { return .some(nil) }
                let businessNow = now ?? clock.now(found.clock)
                now = businessNow
                return OfferSummary(
                    history: try await EntitlementRepository.history(history, in: reader), businessNow: businessNow)
            }
            return OfferSummaries(summaries: summaries)
        }
    }
}

extension TransactionsPage.Record {
    /// Creates the record of a transaction.
    fileprivate init(_ stored: StoredTransaction, account: String) {
        self.init(
            bundleId: stored.customer.bundleId, account: account,
            customerIdentifier: stored.customer.customerIdentifier, isFinished: stored.isFinished,
            orderId: stored.transaction.transactionState == .purchased
                ? stored.transaction.transactionIdentifier.flatMap(OrderIdentifier.order) : nil)
    }
}

extension TransactionService {
    /// Maximum number of owned products that are read. A reply holds more, unless identifiers are very long.
    static let ownedMax = 5_000

    /// Reads customers' storefronts and present entitlements from one snapshot, for pages of the store.
    /// - Returns: Those of the first ones, at least one, as many as fit a reply.
    /// - Throws: `requestInvalid` for too many customers.
    func storePageCustomers(_ request: StorePageCustomersRequest) async throws -> StorePageCustomers {
        try request.validate()
        let standings = try await database.read { reader in
            try await reader.pipelined(request.customers) { request in
                try await startStorePageCustomer(of: request.customer, in: reader)
            } finish: { started -> StorePageCustomer?? in
                .some(try await storePageCustomer(started))
            }
        }
        return StorePageCustomers(
            standings: ReplyBudget.fitting(standings) { storePageCustomer in
                storePageCustomer?.ownedProductIdentifiers.reduce(128) { $0 + Self.bytes(of: $1) } ?? 4
            })
    }

    /// The started queries of one standing.
    private struct StartedStorePageCustomer {
        let customer: StartedQuery
        let subscriptions: StartedQuery
        let owned: StartedQuery
    }

    private func startStorePageCustomer(
        of id: CustomerReference, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedStorePageCustomer {
        StartedStorePageCustomer(
            customer: try await CustomerRepository.startFindWithClock(id, in: reader),
            subscriptions: try await SubscriptionRepository.startAll(of: id, in: reader),
            owned: try await EntitlementRepository.startOwned(by: id, limit: Self.ownedMax + 1, in: reader))
    }

    /// - Returns: Nil for an unknown customer.
    private func storePageCustomer(_ started: StartedStorePageCustomer) async throws -> StorePageCustomer? {
        guard let (customer, appClock) = try await CustomerRepository.foundWithClock(started.customer) else {
            return nil
        }
        let now = clock.now(appClock)
        // A group has one subscription, so these are few; they come first and are never cut off.
        let subscribed = try await SubscriptionRepository.all(started.subscriptions).filter {
            $0.givesAccess(at: now)
        }
        let owned: [String] = try await started.owned.rows().map { row in try row["product_identifier"] }
        let all = subscribed.map(\.product) + owned
        let listed = ReplyBudget.fitting(Array(all.prefix(Self.ownedMax)), Self.bytes(of:))
        return StorePageCustomer(
            storefront: customer.storefront, ownedProductIdentifiers: listed,
            isTruncated: listed.count < all.count ? true : nil, businessNow: now)
    }

    /// Maximum bytes of an identifier as JSON.
    private static func bytes(of identifier: String) -> Int { identifier.utf8.count * 6 + 3 }
}

extension StoredSubscription {
    /// Tells whether the subscription gives access. In billing retry it does not.
    /// - Parameter now: The app's clock.
    fileprivate func givesAccess(at now: Timestamp) -> Bool {
        switch state {
        case .subscribed: isActive(at: now)
        case .inGracePeriod: (retry.graceUntil ?? period.end) > now
        case .inBillingRetryPeriod, .expired, .revoked: false
        }
    }
}

extension EntitlementRepository {
    /// Reads the non-consumables the customer owns.
    fileprivate static func startOwned(
        by customer: CustomerReference, limit: Int, in reader: SQLReader
    ) async throws(PersistenceError) -> StartedQuery {
        try await reader.startAll(
            """
            SELECT product_identifier FROM owned_product WHERE bundle_id = ? AND customer_identifier = ?
            ORDER BY product_identifier LIMIT ?
            """, customer.bundleId, customer.customerIdentifier, limit)
    }
}

extension CustomerTransaction {
    /// Gives a transaction another `appAccountToken`, if it is the original or belongs to it.
    fileprivate mutating func setAppAccountToken(
        _ token: String, of stored: StoredTransaction, original identifier: String
    ) async throws {
        var value = stored.transaction
        guard
            value.transactionIdentifier.isExactly(identifier)
                || value.originalTransactionIdentifier.isExactly(identifier)
        else { return }
        value.payment.appAccountToken = token
        value.original = value.original.map { original in
            OriginalTransaction(with(original.transaction) { $0.payment.appAccountToken = token })
        }
        guard value != stored.transaction else { return }
        try await rewrite(value, from: stored, event: nil)
    }
}

import BusService
import Persistence
import PlantedBugs
import ServiceDatabase
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
            let stored = try Self.visible(try await reader.read(Self.find(request)), to: request.deviceId)
            let shown = try await DownloadRepository.view([stored], deviceId: request.deviceId, in: reader)
            return (shown.first ?? stored).transaction
        }
    }

    /// Removes a transaction from the queue on all devices (M53). Finishing again returns the same and publishes
    /// nothing (M54).
    /// - Throws: `notFound`, or `transactionNotFinishable` while purchasing or deferred.
    func finish(_ request: TransactionRequest) async throws -> PaymentTransaction {
        let (customer, find) = (request.customer, Self.find(request))
        var asked = [find.key]
        if Identifiers.transactionNumber(request.id) == nil {
            asked.append(DownloadRepository.find(request.id, deviceId: request.deviceId, of: customer).key)
        }
        let committed = try await commits.commit(customer, asking: asked, reaching: .insideFinishCommit) { state in
            try state.finish(Self.visible(state.read(find), to: request.deviceId), deviceId: request.deviceId)
        }
        try checkpoint(.afterFinishCommit)
        for change in committed.changes { publish(change) }
        return committed.output
    }

    /// Number of transactions read at once to change their tokens.
    private static let tokenBatch = 1_000

    /// Gives a purchase, its renewals and its restored copies another `appAccountToken`. Later renewals have it, too.
    /// - Throws: `requestInvalid` for a transaction that is not an original, or `notFound`, also for another app's.
    func setAppAccountToken(_ request: SetAppAccountTokenRequest) async throws -> Empty {
        let identifier = request.originalTransactionIdentifier
        let unknown = StoreError(.notFound, "transaction '\(identifier)' not found")
        let found = try await database.read { reader in
            try await TransactionRepository.find(identifier: identifier, ofApp: request.bundleId, in: reader)
        }
        guard let found else { throw unknown }
        guard found.terms?.shared == nil else {
            throw StoreError(
                .transactionStateInvalid, "transaction '\(identifier)' is shared by a family; name the buyer's")
        }
        let original = found.transaction.originalTransactionIdentifier
        guard original == nil || original.isExactly(identifier) else {
            throw StoreError.requestInvalid(
                "originalTransactionIdentifier", "transaction '\(identifier)' is not the original one")
        }
        let customer = found.customer
        let first = TransactionRepository.history(of: customer, after: 0, limit: Self.tokenBatch)
        let committed = try await commits.commit(customer, asking: [first.key]) { state in
            var page = try state.read(first)
            while true {
                for stored in page {
                    try state.setAppAccountToken(request.appAccountToken, of: stored, original: identifier)
                }
                guard page.count == Self.tokenBatch, let last = page.last?.historySeq else { return }
                page = try state.read(
                    TransactionRepository.history(of: customer, after: last, limit: Self.tokenBatch))
            }
        }
        for change in committed.changes { publish(change) }
        return Empty()
    }

    private static func find(_ request: TransactionRequest) -> SQLLookup<StoredTransaction?> {
        TransactionRepository.find(identifier: request.id, of: request.customer)
    }

    /// Checks that a device sees a transaction.
    private static func visible(
        _ stored: StoredTransaction?, to deviceId: String
    ) throws(StoreError) -> StoredTransaction {
        guard let stored, stored.transaction.isVisible(to: deviceId) else { throw .unknownTransaction }
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
                guard let seq = try await reader.read(TransactionRepository.find(id, of: customer))?.historySeq else {
                    throw StoreError(.notFound, "'after' is not a transaction of this customer's history")
                }
                after = seq
            }
            let rows = try await reader.read(
                TransactionRepository.history(of: customer, after: after, limit: request.limit + 1))
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
            guard let stored = try await TransactionRepository.find(named, in: reader) else {
                throw StoreError.unknownTransaction
            }
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
        let known = try await transaction(named)
        let customer = known.customer
        var asked = [TransactionRepository.find(known.id, of: customer).key]
        if !known.transaction.downloads.isEmpty { asked.append(DownloadRepository.all(of: known.id, customer).key) }
        let committed = try await commits.commit(customer, asking: asked) { state in
            try state.redeliver(state.existing(known.id))
        }
        for change in committed.changes { publish(change) }
        return committed.output
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
                    customer, try await CustomerRepository.startFindWithClock(customer, in: reader),
                    try await EntitlementRepository.startFacts(of: customer, in: reader)
                )
            } finish: { (customer, known, facts) -> OfferSummary?? in
                guard let found = try await CustomerRepository.foundWithClock(known) else { return .some(nil) }
                let businessNow = now ?? clock.now(found.clock)
                now = businessNow
                return OfferSummary(
                    history: try await EntitlementRepository.facts(facts, of: customer, in: reader).history,
                    businessNow: businessNow)
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
                (
                    customer: try await CustomerRepository.startFindWithClock(request.customer, in: reader),
                    lookups: try await reader.start(Self.lookups(of: request.customer))
                )
            } finish: { started -> StorePageCustomer?? in
                let found = try await CustomerRepository.foundWithClock(started.customer)
                let rows = try await started.lookups.rows()
                return .some(try found.map { try storePageCustomer($0.customer, $0.clock, rows) })
            }
        }
        return StorePageCustomers(
            standings: ReplyBudget.fitting(standings) { storePageCustomer in
                storePageCustomer?.ownedProductIdentifiers.reduce(128) { $0 + Self.bytes(of: $1) } ?? 4
            })
    }

    private static func lookups(of id: CustomerReference) -> [SQLLookupKey] {
        [SubscriptionRepository.all(of: id).key, EntitlementRepository.owned(by: id, limit: ownedMax + 1).key]
    }

    private func storePageCustomer(
        _ customer: Customer, _ appClock: AppClock, _ rows: [SQLLookupKey: [SQLRow]]
    ) throws -> StorePageCustomer {
        let now = clock.now(appClock)
        let subscriptions = SubscriptionRepository.all(of: customer.id)
        let owned = EntitlementRepository.owned(by: customer.id, limit: Self.ownedMax + 1)
        // A group has one subscription, so these are few; they come first and are never cut off.
        let subscribed = try subscriptions.answer(rows[subscriptions.key] ?? []).filter { $0.givesAccess(at: now) }
        let all = subscribed.map(\.product) + (try owned.answer(rows[owned.key] ?? []))
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
    fileprivate static func owned(by customer: CustomerReference, limit: Int) -> SQLLookup<[String]> {
        SQLLookup(ownedProducts, customer.bundleId, customer.customerIdentifier, limit) { rows in
            try rows.values(of: "product_identifier")
        }
    }

    private static let ownedProducts = SQLBatchStatement.query(
        """
        SELECT product_identifier FROM owned_product WHERE bundle_id = ? AND customer_identifier = ?
        ORDER BY product_identifier LIMIT ?
        """, .text, .text, .integer)
}

extension CustomerState {
    /// The warning in the reply to a finish before content was downloaded (M55).
    private static let pendingDownloads = "finishedWithPendingDownloads"

    /// Removes a transaction from the queue on all devices.
    ///
    /// Pending downloads of the finishing device are cancelled, and the reply says so. Finishing again returns the same
    /// and writes nothing (M54).
    /// - Throws: `transactionNotFinishable` while purchasing or deferred (M53).
    mutating func finish(_ stored: StoredTransaction, deviceId: String) throws -> PaymentTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        let outcome = machine.handle(.finish)
        if case .refused = outcome {
            let state = stored.transaction.transactionState.rawValue
            throw StoreError(
                .transactionNotFinishable, "a \(state) transaction cannot be finished",
                details: ["transactionState": .string(state)])
        }
        var finished = stored
        finished.isFinished = true
        var shown = finished
        var isPending = false
        if !stored.transaction.downloads.isEmpty {
            let download = try read(DownloadRepository.find(stored.id, deviceId: deviceId, of: customer))
            shown = finished.showing(download)
            isPending = DownloadStateMachine.isPending(download.state)
            if isPending { shown.transaction.warnings = [Self.pendingDownloads] }
        }
        if PlantedBug.isActive(.finishNotPersisted) {
            try journalRemoval(of: stored.transaction, event: .finished)
            return shown.transaction
        }
        guard outcome != .unchanged else { return shown.transaction }
        write(TransactionRepository.markFinished(stored.id, of: customer), leaving: finished)
        write(PromptRepository.withdraw(about: stored.id, .redelivery, customer))
        if isPending {
            try journalDownloads(of: shown.transaction, deviceId: deviceId, event: .finishedWithPendingDownloads)
        }
        try journalRemoval(of: stored.transaction, event: .finished)
        return shown.transaction
    }

    /// Gives an unfinished transaction to the observers once more, as a revision without other changes.
    ///
    /// It is not an event of the store, and the payment's key keeps its first reply. Devices get their downloads after
    /// it, as they are.
    /// - Returns: The transaction as the device it began on sees it.
    /// - Throws: `transactionStateInvalid` for one that is finished or purchasing.
    mutating func redeliver(_ stored: StoredTransaction) throws -> PaymentTransaction {
        var machine = TransactionStateMachine(stored.transaction, isFinished: stored.isFinished)
        guard case .changed = machine.handle(.redeliver) else {
            throw StoreError(
                .transactionStateInvalid,
                stored.isFinished
                    ? "the transaction is finished, and a finished one is not delivered again"
                    : "the transaction is purchasing: its outcome is delivered when there is one",
                details: ["transactionState": .string(stored.transaction.transactionState.rawValue)])
        }
        var next = stored
        next.transaction = machine.transaction
        let body = try StoredJSON.text(next.transaction)
        if next.transaction.transactionState.isTerminal {
            write(PaymentRepository.keepReply(of: stored.id, customer))
        }
        write(try TransactionRepository.advance(next, body: body, from: stored), leaving: next)
        try journal(.updated, next.transaction, event: nil, body: body)
        guard !next.transaction.downloads.isEmpty else { return next.transaction }
        var own = DownloadStateMachine()
        for (deviceId, download) in try read(DownloadRepository.all(of: stored.id, customer)) {
            try journalDownloads(of: next.showing(download).transaction, deviceId: deviceId)
            if deviceId.isExactly(next.transaction.originDeviceId) { own = download }
        }
        return next.showing(own).transaction
    }

    /// Gives a transaction another `appAccountToken`, if it is the original or belongs to it.
    fileprivate mutating func setAppAccountToken(
        _ token: String, of stored: StoredTransaction, original identifier: String
    ) throws {
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
        try rewrite(value, from: stored, event: nil, tellsFinished: false)
    }
}

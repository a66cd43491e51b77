import BusService
import Persistence
import StoreModels

/// Handles `transaction.lookup`, `transaction.modified` and `subscription.statuses` for the App Store Server API.
struct ServerAPIService: QueuePart {
    /// Maximum number of transactions in one page.
    static let pageMax = 100
    /// Maximum number of transactions one page reads, whether the filter selects them or not.
    static let scanMax = 2_000
    let context: QueueContext
    let subscriptions: SubscriptionReader

    // MARK: Lookup

    /// Finds the customer of a transaction or app transaction, and the transaction.
    /// - Throws: `notFound`, also for another app's.
    func lookup(_ request: TransactionLookupRequest) async throws -> TransactionLookupReply {
        try await database.read { reader in
            try await find(request.identifier, of: request.bundleId, in: reader).reply
        }
    }

    /// Reads a customer's download of the app.
    /// - Throws: `notFound` for an unknown customer.
    func appTransaction(_ request: AppTransactionRequest) async throws -> TransactionLookupReply {
        try await database.read { reader in try await download(of: request.customer, in: reader).reply }
    }

    /// A reply about a customer, and the customer's storefront.
    typealias Found = (reply: TransactionLookupReply, storefront: String)

    private func find(_ identifier: String, of bundleId: String, in reader: SQLReader) async throws -> Found {
        guard let number = Identifiers.transactionNumber(identifier) else { throw StoreError.unknownTransaction }
        guard
            let stored = try await TransactionRepository.find(identifier: identifier, ofApp: bundleId, in: reader)
        else {
            let app = try await CustomerRepository.appTransaction(number, bundleId: bundleId, in: reader)
            guard let app else { throw StoreError.unknownTransaction }
            return try await reply(app, in: reader)
        }
        guard let app = try await CustomerRepository.appTransaction(of: stored.customer, in: reader),
            let value = try await Self.shown(stored, storefront: app.storefront, in: reader)
        else { throw StoreError.unknownTransaction }
        var found = try await reply(app, in: reader)
        found.reply.transaction = value
        return found
    }

    func download(of customer: CustomerReference, in reader: SQLReader) async throws -> Found {
        guard let app = try await CustomerRepository.appTransaction(of: customer, in: reader) else {
            throw Self.unknownCustomer
        }
        return try await reply(app, in: reader)
    }

    private func reply(_ app: CustomerRepository.AppTransaction, in reader: SQLReader) async throws -> Found {
        let reply = TransactionLookupReply(
            customerIdentifier: app.customer.customerIdentifier, appTransactionIdentifier: app.identifier,
            firstSeen: app.firstSeen,
            businessNow: clock.now(try await CustomerRepository.clock(of: app.customer.bundleId, in: reader)))
        return (reply, app.storefront)
    }

    /// Makes the shown form of a transaction. A restored one has its own identifier and its original's facts.
    private static func shown(
        _ stored: StoredTransaction, storefront: String, in reader: SQLReader
    ) async throws -> ServerTransaction? {
        guard stored.transaction.transactionState == .restored else {
            return ServerTransaction(stored, storefront: storefront)
        }
        guard let identifier = stored.transaction.originalTransactionIdentifier,
            let original = try await reader.read(
                TransactionRepository.find(identifier: identifier, of: stored.customer))
        else { return nil }
        var value = ServerTransaction(original, storefront: storefront)
        value?.item.transactionIdentifier = stored.transaction.transactionIdentifier ?? identifier
        return value
    }

    static let unknownCustomer = StoreError(.notFound, "no such customer")

    // MARK: History

    /// Reads a page of a customer's history, by the order of changes or refunds.
    /// - Throws: `requestInvalid`, or `notFound` for an unknown customer or identifier.
    func modified(_ request: ModifiedTransactionsRequest) async throws -> ModifiedTransactionsPage {
        try ReplyBudget.checkLimit(request.limit, max: Self.pageMax)
        return try await database.read { reader in
            let found = try await self.customer(of: request, in: reader)
            let customer = CustomerReference(
                bundleId: request.bundleId, customerIdentifier: found.reply.customerIdentifier)
            var page = ModifiedTransactionsPage(
                customer: found.reply, transactions: [],
                place: request.after ?? (request.isDescending ? .max : 0), hasMore: false)
            var (seen, after) = (0, request.after)
            while seen < Self.scanMax {
                let rows = try await TransactionRepository.modified(
                    of: customer, by: request.order, after: after, isDescending: request.isDescending,
                    limit: Self.pageMax, in: reader)
                for row in rows {
                    if let value = ServerTransaction(row, storefront: found.storefront),
                        request.filter.matches(value.item, isFinished: row.isFinished)
                    {
                        guard page.transactions.count < request.limit else {
                            page.hasMore = true
                            return page
                        }
                        page.transactions.append(value)
                    }
                    if let position = row.position(in: request.order) { (after, page.place) = (position, position) }
                }
                seen += rows.count
                if rows.count < Self.pageMax { return page }
            }
            page.hasMore = true
            return page
        }
    }

    private func customer(of request: ModifiedTransactionsRequest, in reader: SQLReader) async throws -> Found {
        if let identifier = request.identifier {
            return try await find(identifier, of: request.bundleId, in: reader)
        }
        guard let customer = request.customerIdentifier else { throw Self.unknownCustomer }
        return try await download(
            of: CustomerReference(bundleId: request.bundleId, customerIdentifier: customer), in: reader)
    }

    // MARK: Subscriptions

    /// Reads a customer's subscriptions with their latest transactions, and then those that the family shares.
    /// - Throws: `notFound` for an unknown customer.
    func statuses(_ request: SubscriptionStatusesRequest) async throws -> SubscriptionStatuses {
        let customer = request.customer
        // The transactions are read after the list, so they have at least its last change.
        let (listed, seq) = try await subscriptions.listed(
            SubscriptionsRequest(
                bundleId: customer.bundleId, customerIdentifier: customer.customerIdentifier,
                limit: SubscriptionReader.pageMax))
        let found = try await database.read { reader in
            guard let app = try await CustomerRepository.appTransaction(of: customer, in: reader) else {
                throw Self.unknownCustomer
            }
            var found: [ServerSubscription] = []
            for subscription in listed.subscriptions {
                guard let stored = try await reader.read(TransactionRepository.find(subscription.id, of: customer)),
                    let transaction = ServerTransaction(stored, storefront: app.storefront),
                    let due = try await SubscriptionLookup.find(
                        original: subscription.originalTransactionIdentifier, of: customer, in: reader)
                else { continue }
                let periods = try await reader.read(SubscriptionPeriodRepository.all(of: due.value.originalID))
                found.append(
                    ServerSubscription(
                        subscription: subscription, transaction: transaction,
                        recentStart: RecentStartPolicy.start(of: periods, rate: due.value.rate)
                            ?? subscription.purchaseDate,
                        nextOffer: subscription.willAutoRenew ? RenewalPolicy.offer(of: due.value)?.applied : nil))
            }
            let now = clock.now(try await CustomerRepository.clock(of: customer.bundleId, in: reader))
            for known in try await SharedPurchaseRepository.subscriptions(of: customer, in: reader) {
                guard let seen = known.seen(at: now),
                    let transaction = ServerTransaction(known.latest, storefront: app.storefront)
                else { continue }
                found.append(
                    ServerSubscription(
                        subscription: seen.wire, transaction: transaction, recentStart: seen.period.start))
            }
            return found
        }
        return SubscriptionStatuses(
            seq: seq, subscriptions: found, businessNow: listed.businessNow ?? clock.wall())
    }
}

/// Decides since when a customer subscribes without a long gap, without I/O.
enum RecentStartPolicy {
    /// The longest gap that does not begin the subscription anew, in milliseconds: 60 days, and ten minutes where a
    /// tester's rate compresses periods.
    static func gap(_ rate: SubscriptionRenewalRate) -> Int64 {
        rate == .realTime ? 60 * 86_400_000 : 10 * 60_000
    }

    /// Returns the start of the first period after the last long gap.
    /// - Parameter periods: Start and end of each, in order.
    /// - Returns: Nil without a period.
    static func start(
        of periods: [(start: Timestamp, end: Timestamp)], rate: SubscriptionRenewalRate
    ) -> Timestamp? {
        var start = periods.first?.start
        for (before, next) in zip(periods, periods.dropFirst())
        where next.start.milliseconds - before.end.milliseconds > gap(rate) {
            start = next.start
        }
        return start
    }
}

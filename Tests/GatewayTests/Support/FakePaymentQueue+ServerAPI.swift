import EventLoop
import StoreModels

/// What the App Store Server API reads.
extension FakePaymentQueue {
    /// What there is, and what was asked for.
    struct ServerReading {
        /// Alice's, in the order of changes.
        var transactions: [ServerTransaction] = []
        /// The customers of transactions that are not Alice's, by the transactions' identifiers.
        var owners: [String: String] = [:]
        /// Transactions that the app has finished.
        var finished: Set<String> = []
        var subscriptions: [ServerSubscription] = []
        var pages: [ModifiedTransactionsRequest] = []
        var views: [ViewedTransactionsRequest] = []
        /// Whether payments have bought what the customer holds.
        var isHeld = false
        /// Requests for a transaction's customer alone.
        var lookups = 0
        /// What was asked to be changed, by request type.
        var extended: [ExtendSubscriptionRequest] = []
        var extendedAll: [ExtendSubscriptionsRequest] = []
        var tokens: [SetAppAccountTokenRequest] = []
        var consumptions: [ConsumptionInformation] = []
        /// What an extension is answered with.
        var outcome = ExtendSubscriptionReply.Outcome.extended
        var failure: StoreError?
    }

    static let appTransaction = "7000000000000000001"
    static let firstSeen = Timestamp(milliseconds: 1_790_000_000_000)

    func serveServerAPI() {
        service.handle(ServerAPIEndpoints.lookup) { [self] request in
            try checkServerAPI()
            return try contents.withLock { contents in
                contents.serverReading.lookups += 1
                return try Self.lookup(contents, request.identifier, of: request.bundleId)
            }
        }
        service.handle(ServerAPIEndpoints.appTransaction) { [self] request in
            try checkServerAPI()
            try Self.checkIsAlice(request.customerIdentifier)
            return contents.withLock { Self.lookup($0, nil) }
        }
        service.handle(ServerAPIEndpoints.modified) { [self] request in
            try checkServerAPI()
            return try contents.withLock { contents in
                let customer =
                    try request.identifier.map { try Self.lookup(contents, $0, of: request.bundleId) }
                    ?? Self.lookup(contents, nil)
                contents.serverReading.pages.append(request)
                let finished = contents.serverReading.finished
                let places = contents.serverReading.transactions.filter { value in
                    request.filter.matches(
                        value.item, isFinished: finished.contains(value.item.transactionIdentifier))
                        && (request.order == .changes || value.item.revocationType != nil)
                }
                let ordered = request.isDescending ? places.reversed() : places
                let rest = ordered.filter { value in
                    request.after.map { request.isDescending ? value.modifiedSeq < $0 : value.modifiedSeq > $0 } ?? true
                }
                let page = Array(rest.prefix(request.limit))
                return ModifiedTransactionsPage(
                    customer: customer, transactions: page, place: page.last?.modifiedSeq ?? request.after ?? 0,
                    hasMore: rest.count > page.count)
            }
        }
        service.handle(ServerAPIEndpoints.viewed) { [self] request in
            try checkServerAPI()
            try Self.checkIsAlice(request.customerIdentifier)
            return contents.withLock { contents in
                contents.serverReading.views.append(request)
                let isUnchanged = request.revision == "r1"
                return ViewedTransactions(
                    customer: Self.lookup(contents, nil), seq: contents.seq, revision: "r1", isUnchanged: isUnchanged,
                    transactions: isUnchanged ? [] : contents.serverReading.transactions.reversed())
            }
        }
        service.handle(ServerAPIEndpoints.outcomes) { [self] request in
            try checkServerAPI()
            try Self.checkIsAlice(request.customerIdentifier)
            return contents.withLock { contents in
                let outcomes = request.ids.compactMap { id -> PaymentOutcome? in
                    let bought = contents.transactions.first { $0.id == id }?.transactionIdentifier
                    guard
                        let value = contents.serverReading.transactions.first(where: {
                            $0.item.transactionIdentifier == bought
                        })
                    else { return nil }
                    return PaymentOutcome(
                        id: id, transaction: value, isHeld: contents.serverReading.isHeld, wasDeferred: false)
                }
                return PaymentOutcomes(customer: Self.lookup(contents, nil), outcomes: outcomes)
            }
        }
        service.handle(ServerAPIEndpoints.statuses) { [self] _ in
            try checkServerAPI()
            return contents.withLock { contents in
                SubscriptionStatuses(
                    seq: contents.seq, subscriptions: contents.serverReading.subscriptions,
                    businessNow: contents.businessNow)
            }
        }
    }

    func serveServerWrites() {
        service.handle(ServerAPIEndpoints.extend) { [self] request in
            try checkServerAPI()
            return try contents.withLock { contents in
                guard request.originalTransactionIdentifier == "2000000000000001" else {
                    throw StoreError(.notFound, "subscription not found")
                }
                contents.serverReading.extended.append(request)
                let outcome = contents.serverReading.outcome
                guard outcome == .extended else { return ExtendSubscriptionReply(outcome: outcome) }
                return ExtendSubscriptionReply(
                    outcome: .extended, effectiveDate: Self.firstSeen, webOrderLineItemIdentifier: "1000000000000003")
            }
        }
        service.handle(ServerAPIEndpoints.extendAll) { [self] request in
            try checkServerAPI()
            contents.withLock { $0.serverReading.extendedAll.append(request) }
            return Self.extensions(request.productIdentifier, request.requestIdentifier, isDone: true)
        }
        service.handle(ServerAPIEndpoints.extensions) { [self] request in
            try checkServerAPI()
            guard ["done", "begun"].contains(request.requestIdentifier) else {
                throw StoreError(.notFound, "extension not found")
            }
            return Self.extensions(
                request.productIdentifier, request.requestIdentifier, isDone: request.requestIdentifier == "done")
        }
        service.handle(ServerAPIEndpoints.setAppAccountToken) { [self] request in
            try checkServerAPI()
            contents.withLock { $0.serverReading.tokens.append(request) }
            return Empty()
        }
        service.handle(ServerAPIEndpoints.consumption) { [self] request in
            try checkServerAPI()
            contents.withLock { $0.serverReading.consumptions.append(request) }
            return Empty()
        }
    }

    private static func extensions(_ product: String, _ request: String, isDone: Bool) -> SubscriptionExtensions {
        SubscriptionExtensions(
            requestIdentifier: request, productIdentifier: product, storefronts: nil, succeededCount: 3, failedCount: 1,
            completedAt: isDone ? firstSeen : nil)
    }

    private func checkServerAPI() throws {
        if let failure = contents.withLock({ $0.serverReading.failure }) { throw failure }
    }

    private static func checkIsAlice(_ customerIdentifier: String) throws {
        guard customerIdentifier == customer else { throw StoreError(.notFound, "no such customer") }
    }

    private static func lookup(
        _ contents: Contents, _ identifier: String, of bundleId: String
    ) throws -> TransactionLookupReply {
        let owner = contents.serverReading.owners[identifier]
        let found = contents.serverReading.transactions.first { $0.item.transactionIdentifier == identifier }
        guard bundleId == Sample.bundleId, found != nil || owner != nil || identifier == appTransaction else {
            throw StoreError(.notFound, "no such transaction")
        }
        return with(lookup(contents, found)) { $0.customerIdentifier = owner ?? customer }
    }

    private static func lookup(_ contents: Contents, _ transaction: ServerTransaction?) -> TransactionLookupReply {
        TransactionLookupReply(
            customerIdentifier: customer, appTransactionIdentifier: appTransaction, firstSeen: firstSeen,
            transaction: transaction, businessNow: contents.businessNow)
    }

    /// Alice's samples, each changed after the one before, and her subscription.
    func sellSamples() {
        buySamples()
        contents.withLock { contents in
            contents.serverReading.transactions = contents.receiptItems.enumerated().map { place, item in
                ServerTransaction(
                    item: item, price: Sample.pro.price, storefront: "USA",
                    reason: place == 2 ? .renewal : .purchase, modifiedSeq: Int64(place + 1))
            }
            contents.serverReading.subscriptions = [
                ServerSubscription(
                    subscription: Sample.subscription, transaction: contents.serverReading.transactions[2],
                    recentStart: contents.receiptItems[0].purchaseDate)
            ]
        }
    }

    /// Consumables of Alice's, in place of everything else.
    func sellConsumables(_ count: Int) {
        contents.withLock { contents in
            contents.serverReading.transactions = (1...count).map { number in
                let date = Self.firstSeen + .seconds(number)
                return ServerTransaction(
                    item: ReceiptItem(
                        transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                        originalTransactionIdentifier: "\(2_000_000_000_000_000 + number)",
                        productIdentifier: Sample.fishing.productIdentifier, type: .consumable, quantity: 1,
                        purchaseDate: date, originalPurchaseDate: date),
                    price: Sample.fishing.price, storefront: "USA", reason: .purchase, modifiedSeq: Int64(number))
            }
        }
    }
}

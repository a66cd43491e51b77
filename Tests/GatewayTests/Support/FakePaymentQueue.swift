import BusClient
import EventLoop
import StoreModels

/// PaymentQueue with a journal in memory. Its hints can be lost, repeated and reordered, which is what live delivery
/// has to survive.
final class FakePaymentQueue: Sendable {
    typealias Adding = @Sendable (AddPaymentRequest) async throws -> AddPaymentReply

    struct Contents {
        var transactions: [PaymentTransaction] = []
        /// Where an operator finds what is here.
        var scope = IsolationScope.installation
        var finished: Set<String> = []
        var journal: [CustomerChange] = []
        var seq: Int64 = 0
        var copies: [CopyAppRequest] = []
        /// What happens while a store is copied.
        var duringCopy: @Sendable () async throws -> Void = {}
        /// How many of the next copies find work under way.
        var busyCopies = 0
        /// How often a copied store changes before the gateway asks again.
        var changesAfterCopy: Int64 = 0
        var mark = AppMark(customers: 1, changes: 5, refundRequests: 0, extensions: 0, clockEpoch: 1)
        /// Apps of isolated stores that were removed.
        var removed: [String] = []
        /// Requests for a removal that say that more is left, before one that does not.
        var removalsLeft = 0
        /// Whether a change is announced on the bus.
        var publishes = true
        /// Changes up to here are no longer in the journal.
        var pruned: Int64 = 0
        var headsRequests: [[CustomerReference]] = []
        var snapshotRequests: [SnapshotRequest] = []
        var changesRequests: [ChangesRequest] = []
        var openRequests: [OpenAccountRequest] = []
        /// At most this many transactions a page, with any requested limit.
        var pageMax = 100
        var adding: Adding?
        var storefront = "USA"
        var simulatedProductsError: TransactionError?
        var simulatedReceiptError: TransactionError?
        var accountRequests: [GetAccountRequest] = []
        var canMakePayments = true
        var failure: StoreError?
        var testers: [ScopedIdentifier: TesterSettings] = [:]
        var prompts: [Prompt] = []
        var answers: [AnswerPromptRequest] = []
        var cleared: [ClearHistoryRequest] = []
        var resets: [ResetRequest] = []
        /// What `events.list` answers from; an event's `id` is its place, counted from 1.
        var events: [StoreEvent] = []
        var eventsRequests: [EventsRequest] = []
        var lastEventsRequests: [LastEventsRequest] = []
        /// By idempotency key.
        var restores: [String: Restore] = [:]
        /// Ends that no stream has acknowledged; a snapshot's last page brings them.
        var undelivered: [Restore] = []
        var acknowledged: [RestoreRequest] = []
        var refusesAcknowledgements = false
        var downloads: [String: DownloadReply] = [:]
        var downloadRequests: [UpdateDownloadRequest] = []
        /// `approve t_1` and the like, in order.
        var operations: [String] = []
        var subscribing = Subscribing()
        /// By app.
        var offerCodes: [String: [OfferCode]] = [:]
        var newCodes: [NewOfferCodeRequest] = []
        /// By app.
        var families: [String: [Family]] = [:]
        var refundRequests: [CustomerRefundRequest] = []
        var businessNow = Timestamp(milliseconds: 1_800_000_000_000)
        /// Of every customer, oldest first.
        var receiptItems: [ReceiptItem] = []
        var receiptRequests: [ReceiptFactsRequest] = []
        var continued: [ContinueTransactionRequest] = []
        var shown: [ShowPriceConsentRequest] = []
        var owned: [String] = []
        var ownsMore = false
        var serverReading = ServerReading()
    }

    static let customer = "c_alice"
    let contents = Locked(Contents())
    let service: FakeService

    init(_ service: FakeService) {
        self.service = service
        serveAccounts()
        serveAccount()
        serveQueue()
        serveTransactions()
        serveTesters()
        serveTesting()
        serveRestores()
        serveDownloads()
        serveOperating()
        serveSubscriptions()
        serveOperations()
        serveCopies()
        serveClock()
        serveReceipts()
        serveServerAPI()
        serveServerWrites()
        serveStanding()
        serveTestersVersion()
        serveOfferCodes()
        serveFamilies()
    }

    /// Commits a change and tells of it.
    @discardableResult
    func commit(_ transaction: PaymentTransaction, kind: CustomerChange.Kind = .updated) -> CustomerChange {
        write { contents, seq in
            contents.transactions.removeAll { $0.id == transaction.id }
            contents.transactions.append(transaction)
            if kind == .removed { contents.finished.insert(transaction.id) }
            return CustomerChange(
                bundleId: Sample.bundleId, customerIdentifier: Self.customer, seq: seq, kind: kind,
                transaction: transaction)
        }
    }

    /// Writes one row of the journal and tells of it.
    @discardableResult
    func write(_ change: (inout Contents, Int64) -> CustomerChange) -> CustomerChange {
        let (change, publishes) = contents.withLock { contents in
            contents.seq += 1
            let change = change(&contents, contents.seq)
            contents.journal.append(change)
            return (change, contents.publishes)
        }
        if publishes { publish(change) }
        return change
    }

    /// Sends a hint, any number of times and in any order.
    func publish(_ change: CustomerChange) {
        let subject = PaymentEvents.customerChanged(key: Sample.customerKey)
        try? service.client.publish(subject, body: (try? StoreJSON.encode(change)) ?? [])
    }

    func check() throws {
        if let failure = contents.withLock({ $0.failure }) { throw failure }
    }

    private func serveAccounts() {
        service.handle(PaymentEndpoints.openAccount) { [self] request in
            try check()
            return try contents.withLock { contents in
                contents.openRequests.append(request)
                if let storefront = request.storefront, storefront != contents.storefront {
                    throw StoreError(.storefrontMismatch, "the account's storefront is \(contents.storefront)")
                }
                return OpenAccountReply(
                    customerIdentifier: "c_\(request.account)", storefront: contents.storefront,
                    canMakePayments: contents.canMakePayments,
                    launch: request.launches == true ? Int64(contents.openRequests.count) : nil)
            }
        }
    }

    private func serveAccount() {
        service.handle(PaymentEndpoints.getAccount) { [self] request in
            try check()
            return try contents.withLock { contents in
                contents.accountRequests.append(request)
                guard let identifier = request.customerIdentifier ?? request.account.map({ "c_\($0)" }),
                    request.bundleId == Sample.bundleId,
                    contents.openRequests.contains(where: { "c_\($0.account)" == identifier })
                else { throw StoreError(.notFound, "there is no such customer") }
                return AccountReply(
                    customerIdentifier: identifier, account: String(identifier.dropFirst(2)),
                    storefront: contents.storefront, canMakePayments: contents.canMakePayments,
                    simulatedProductsError: contents.simulatedProductsError,
                    simulatedReceiptError: contents.simulatedReceiptError)
            }
        }
    }

    /// Each change of accounts' settings by a test is another version.
    private func serveTestersVersion() {
        service.handle(PaymentEndpoints.leaseTesters) { [self] _ in
            try check()
            return contents.withLock { contents in
                var state = Hasher()
                state.combine(contents.storefront)
                state.combine(contents.simulatedProductsError)
                state.combine(contents.canMakePayments)
                state.combine(contents.testers)
                return LeasedVersion(version: TestersVersion(version: Int64(state.finalize())), isLeased: false)
            }
        }
    }

    private func serveStanding() {
        service.handle(PaymentEndpoints.storePageCustomers) { [self] request in
            try check()
            try request.validate()
            return contents.withLock { contents in
                StorePageCustomers(
                    standings: request.customers.map { customer -> StorePageCustomer? in
                        guard customer.bundleId == Sample.bundleId,
                            contents.openRequests.contains(where: { "c_\($0.account)" == customer.customerIdentifier })
                        else { return nil }
                        return StorePageCustomer(
                            storefront: contents.storefront, ownedProductIdentifiers: contents.owned,
                            isTruncated: contents.ownsMore ? true : nil, businessNow: contents.businessNow)
                    })
            }
        }
    }

    private func serveQueue() {
        service.handle(PaymentEndpoints.addPayment) { [self] request in
            try check()
            if let adding = contents.withLock({ $0.adding }) { return try await adding(request) }
            let transaction = Sample.purchased("t_\(request.payment.requestIdentifier)", payment: request.payment)
            commit(transaction)
            return AddPaymentReply(status: 201, transaction: transaction, isReplayed: false)
        }
        service.handle(PaymentEndpoints.snapshot) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.snapshotRequests.append(request)
                let isMine = request.bundleId == Sample.bundleId && request.customerIdentifier == Self.customer
                let mine = contents.transactions.filter {
                    isMine && !contents.finished.contains($0.id)
                }
                let start = request.after.flatMap { after in mine.firstIndex { $0.id == after }.map { $0 + 1 } } ?? 0
                let page = Array(mine.dropFirst(start).prefix(min(request.limit, contents.pageMax)))
                let isLast = start + page.count >= mine.count
                return Snapshot(
                    transactions: page, seq: contents.seq, after: isLast ? nil : page.last?.id,
                    restores: isLast && isMine && request.deviceId == Sample.deviceId ? contents.undelivered : [],
                    revocations: isLast && isMine ? contents.subscribing.undelivered : [])
            }
        }
        service.handle(PaymentEndpoints.changes) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.changesRequests.append(request)
                return ChangesReply(
                    changes: Array(
                        contents.journal.filter { $0.seq > max(request.after, contents.pruned) }.prefix(request.limit)),
                    head: contents.seq, snapshotRequired: request.after < contents.pruned)
            }
        }
        service.handle(PaymentEndpoints.heads) { [self] request in
            try check()
            return contents.withLock { contents in
                contents.headsRequests.append(request.customers)
                return HeadsReply(
                    heads: request.customers.map { $0.customerIdentifier == Self.customer ? contents.seq : 0 },
                    storefronts: request.customers.map { _ in contents.storefront })
            }
        }
    }

    private func serveTransactions() {
        service.handle(PaymentEndpoints.getTransaction) { [self] in try find($0) }
        service.handle(PaymentEndpoints.finishTransaction) { [self] request in
            let transaction = try find(request)
            guard transaction.transactionState.isFinishable else {
                throw StoreError(
                    .transactionNotFinishable, "transaction \(request.id) is \(transaction.transactionState)")
            }
            if !contents.withLock({ $0.finished.contains(request.id) }) { commit(transaction, kind: .removed) }
            return transaction
        }
        service.handle(PaymentEndpoints.history) { [self] request in
            try check()
            return contents.withLock { contents in
                let mine = contents.transactions.filter {
                    request.bundleId == Sample.bundleId && request.customerIdentifier == Self.customer
                        && $0.transactionState == .purchased
                }
                let start = request.after.flatMap { after in mine.firstIndex { $0.id == after }.map { $0 + 1 } } ?? 0
                let page = Array(mine.dropFirst(start).prefix(min(request.limit, contents.pageMax)))
                return TransactionsPage(
                    transactions: page, after: start + page.count < mine.count ? page.last?.id : nil)
            }
        }
        service.handle(PaymentEndpoints.listTransactions) { [self] request in
            contents.withLock { contents in
                let found = contents.transactions.filter {
                    request.state == nil || $0.transactionState == request.state
                }
                return TransactionsPage(
                    transactions: found,
                    records: found.map {
                        .init(
                            bundleId: Sample.bundleId, account: "alice", customerIdentifier: Self.customer,
                            isFinished: contents.finished.contains($0.id))
                    })
            }
        }
    }

    /// The owning service checks the customer, not only the gateway.
    func find(_ request: TransactionRequest) throws -> PaymentTransaction {
        try check()
        let found = contents.withLock { contents in
            request.bundleId == Sample.bundleId && request.customerIdentifier == Self.customer
                ? contents.transactions.first { $0.id == request.id } : nil
        }
        guard let found else { throw StoreError(.notFound, "there is no such transaction") }
        return found
    }
}

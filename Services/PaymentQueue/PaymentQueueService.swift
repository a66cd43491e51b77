import BusClient
import BusService
import Logging
import Metrics
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// The payment queue as a service: its endpoints on the bus, and the two jobs that run beside them.
///
/// ```swift
/// let queue = PaymentQueueService(database: database, bus: bus, logger: logger)
/// queue.register(on: service)
/// try await queue.run()                   // janitor and pruner, until graceful shutdown
/// ```
package final class PaymentQueueService: ServiceLifecycle.Service {
    let database: any SQLDatabase
    let logger: Logger
    let accounts: AccountOpener
    let customers: AccountReader
    let testers: TesterDesk
    let purchases: PurchaseCoordinator
    let prompts: PromptDesk
    let signIns: SignInDesk
    /// Subscriptions that cost more by now.
    let priceConsents: PriceConsentDesk
    let history: HistoryDesk
    let queue: QueueReader
    let events: EventReader
    let transactions: TransactionDesk
    let operators: OperatorDesk
    let restores: RestoreDesk
    let downloads: DownloadDesk
    let janitor: PurchaseJanitor
    let restoreJanitor: RestoreJanitor
    let callbacks: ChargeCallbacks
    let refunds: RefundDesk
    let refundJanitor: RefundJanitor
    let receipts: ReceiptDesk
    /// What falls due: renewals, retries, expiries.
    let renewer: SubscriptionRenewer
    let renewalJanitor: RenewalJanitor
    let subscriptions: SubscriptionDesk
    let subscriptionReader: SubscriptionReader
    let clocks: ClockDesk
    /// Tells the quotes which apps have changed.
    private let appChanges: BackgroundJob
    let pruner: JournalPruner

    /// - Parameters:
    ///   - bus: for quotes, charges and hints.
    ///   - clock: where business time comes from.
    ///   - claims: how replicas divide what was left under way.
    ///   - metrics: nil for the process's own.
    ///   - checkpoint: for tests that stop a purchase half-way; nothing in a store that sells.
    convenience init(
        database: any SQLDatabase, bus: any BusClient, clock: BusinessClock = BusinessClock(),
        claims: PurchaseClaims = PurchaseClaims(), logger: Logger, metrics: (any MetricsFactory)? = nil,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        self.init(
            database: database,
            collaborators: .onBus(bus),
            clock: clock, claims: claims, logger: logger, metrics: metrics, checkpoint: checkpoint)
    }

    /// As above, with the other services as functions.
    init(
        database: any SQLDatabase, collaborators: PurchaseCollaborators, clock: BusinessClock = BusinessClock(),
        claims: PurchaseClaims = PurchaseClaims(), logger: Logger, metrics: (any MetricsFactory)? = nil,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        let record = SalesRecord(logger: logger, factory: metrics)
        let store = PurchaseStore(database: database, clock: clock, claims: claims, checkpoint: checkpoint)
        let settling = PurchaseDriver(
            store: store, collaborators: collaborators, checkpoint: checkpoint, record: record, logger: logger)
        self.database = database
        self.logger = logger
        self.accounts = AccountOpener(database: database, clock: clock)
        let defaults = AppDefaults(fetch: collaborators.app)
        self.customers = AccountReader(database: database, defaults: defaults)
        self.testers = TesterDesk(database: database, clock: clock, storefronts: collaborators.storefronts)
        let quotes = QuoteCache(fetch: collaborators.quote)
        self.appChanges = BackgroundJob { await collaborators.appChanges { quotes.forget($0) } }
        let renewals = RenewalStore(database: database, clock: clock, claims: claims, checkpoint: checkpoint)
        let renewer = SubscriptionRenewer(store: renewals, quotes: quotes, driver: settling, logger: logger)
        self.renewer = renewer
        // A renewal settles like a purchase, and a purchase lets renewals go first.
        let catchUp: PurchaseDriver.CatchUp = { try await renewer.catchUp($0, group: $1, until: $2) }
        let driver = settling.lettingFirst(catchUp)
        self.subscriptionReader = SubscriptionReader(database: database, clock: clock, quotes: quotes)
        self.subscriptions = SubscriptionDesk(store: renewals, renewer: renewer, reader: subscriptionReader)
        self.priceConsents = PriceConsentDesk(
            store: renewals, quotes: quotes, publish: collaborators.publish, logger: logger)
        self.clocks = ClockDesk(store: ClockStore(database: database, clock: clock), renewer: renewer)
        self.renewalJanitor = RenewalJanitor(renewer: renewer, clocks: clocks, logger: logger)
        self.purchases = PurchaseCoordinator(store: store, driver: driver, quotes: quotes)
        let storefronts = StorefrontLookup(storefronts: collaborators.storefronts)
        self.prompts = PromptDesk(store: store, driver: driver, storefronts: storefronts)
        self.signIns = SignInDesk(database: database, clock: clock)
        self.history = HistoryDesk(
            store: store, driver: driver, renewer: renewer, cancelCharge: collaborators.cancelCharge)
        self.queue = QueueReader(database: database)
        self.events = EventReader(database: database)
        self.transactions = TransactionDesk(
            database: database, clock: clock, checkpoint: checkpoint, publish: collaborators.publish)
        self.operators = OperatorDesk(store: store, driver: driver, storefronts: storefronts)
        let restoreStore = RestoreStore(database: database, clock: clock, checkpoint: checkpoint)
        self.restores = RestoreDesk(
            store: restoreStore, defaults: defaults, checkpoint: checkpoint, publish: collaborators.publish)
        self.downloads = DownloadDesk(
            database: database, clock: clock, defaults: defaults, checkpoint: checkpoint,
            publish: collaborators.publish)
        self.restoreJanitor = RestoreJanitor(store: restoreStore, desk: restores, logger: logger)
        self.janitor = PurchaseJanitor(store: store, driver: driver, logger: logger)
        self.callbacks = ChargeCallbacks(
            janitor: janitor, renewer: renewer, subscribe: collaborators.chargeChanges)
        let refundStore = RefundStore(database: database, clock: clock, checkpoint: checkpoint)
        self.refunds = RefundDesk(
            store: refundStore, collaborators: collaborators, catchUp: catchUp, record: record, logger: logger)
        self.refundJanitor = RefundJanitor(store: refundStore, desk: refunds)
        self.receipts = ReceiptDesk(database: database, clock: clock)
        self.pruner = JournalPruner(database: database, clock: clock, logger: logger)
    }

    /// Registers every endpoint and the health checks; before the bus service runs.
    package func register(on service: BusService) {
        let endpoints = DatabaseEndpoints(of: "the payment queue", on: service)
        registerPurchases(on: endpoints)
        registerTransactions(on: endpoints)
        registerQueue(on: endpoints)
        registerRestores(on: endpoints)
        registerTesters(on: endpoints)
        registerSubscriptions(on: endpoints)
        registerSales(on: endpoints)
        service.healthCheck(of: database)
        service.healthCheck("quarantine") { [database] in
            do {
                let (purchases, renewals) = try await database.read { reader in
                    (
                        try await TransactionRepository.quarantinedCount(in: reader),
                        try await DueRepository.quarantinedCount(in: reader)
                    )
                }
                guard purchases + renewals > 0 else { return .pass }
                return .warn("\(purchases) purchases and \(renewals) renewals were charged another amount than agreed")
            } catch {
                return .fail("\(error)")
            }
        }
    }

    private func registerPurchases(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.openAccount, accounts.open)
        endpoints.handle(PaymentEndpoints.getAccount, customers.get)
        endpoints.handle(PaymentEndpoints.addPayment, purchases.add)
    }

    private func registerTransactions(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.getTransaction, transactions.get)
        endpoints.handle(PaymentEndpoints.finishTransaction, transactions.finish)
        endpoints.handle(PaymentEndpoints.continueTransaction, prompts.goOn)
        endpoints.handle(PaymentEndpoints.approveTransaction) { [operators] request, deadline in
            try await operators.say(.approve, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.declineTransaction) { [operators] request, deadline in
            try await operators.say(.decline, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.resolveTransaction) { [operators] request, deadline in
            try await operators.say(.resolve, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.deleteTransaction, history.delete)
        endpoints.handle(PaymentEndpoints.history, transactions.history)
        endpoints.handle(PaymentEndpoints.listTransactions, transactions.list)
        endpoints.handle(PaymentEndpoints.offerSummary, transactions.offerSummary)
        endpoints.handle(PaymentEndpoints.offerSummaries, transactions.offerSummaries)
    }

    private func registerQueue(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.snapshot) { [queue, signIns] request in
            var page = try await queue.snapshot(request)
            try await signIns.ask(about: page, request)
            page.priceConsents = try await signIns.priceConsents(request)
            return page
        }
        endpoints.handle(PaymentEndpoints.changes, queue.changes)
        endpoints.handle(PaymentEndpoints.heads, queue.heads)
        endpoints.handle(PaymentEndpoints.listEvents, events.list)
    }

    private func registerRestores(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.startRestore, restores.start)
        endpoints.handle(PaymentEndpoints.getRestore, restores.get)
        endpoints.handle(PaymentEndpoints.acknowledgeRestore, restores.acknowledge)
        endpoints.handle(PaymentEndpoints.updateDownload, downloads.update)
        endpoints.handle(PaymentEndpoints.getDownload, downloads.get)
    }

    private func registerTesters(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.getTester, testers.get)
        endpoints.handle(PaymentEndpoints.putTester, testers.put)
        endpoints.handle(PaymentEndpoints.deleteTester, testers.delete)
        endpoints.handle(PaymentEndpoints.listTesters, testers.list)
        endpoints.handle(PaymentEndpoints.testersVersion, testers.version)
        endpoints.handle(PaymentEndpoints.listPrompts, prompts.list)
        endpoints.handle(PaymentEndpoints.answerPrompt, prompts.answer)
        endpoints.handle(PaymentEndpoints.clearHistory, history.clear)
        endpoints.handle(PaymentEndpoints.reset, history.reset)
    }

    /// Resolves what was left unknown and prunes the journal until graceful shutdown, then closes the database. In a
    /// service group it stands before the bus service, so that it ends after the last request.
    package func run() async throws {
        await BackgroundJob.run([
            .repeating("janitor", every: PurchaseJanitor.interval, logger) { try await self.janitor.sweep() },
            BackgroundJob { await self.callbacks.run() },
            appChanges,
            BackgroundJob { await self.renewalJanitor.run() },
            .repeating("restore janitor", every: RestoreJanitor.interval, logger) {
                try await self.restoreJanitor.sweep()
            },
            .repeating("refund janitor", every: RefundJanitor.interval, logger) {
                try await self.refundJanitor.sweep()
            },
            .repeating("unanswered questions", every: PromptDesk.interval, logger) { try await self.prompts.sweep() },
            .repeating("prices", every: PriceConsentDesk.interval, logger) { try await self.priceConsents.sweep() },
            .repeating("pruner", every: JournalPruner.interval, logger) { try await self.pruner.prune() },
        ])
        await database.close()
    }
}

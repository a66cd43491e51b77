import BusClient
import BusService
import Logging
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
    let history: HistoryDesk
    let queue: QueueReader
    let events: EventReader
    let transactions: TransactionDesk
    let operators: OperatorDesk
    let restores: RestoreDesk
    let downloads: DownloadDesk
    package let janitor: PurchaseJanitor
    package let restoreJanitor: RestoreJanitor
    package let callbacks: ChargeCallbacks
    let refunds: RefundDesk
    package let refundJanitor: RefundJanitor
    let receipts: ReceiptDesk
    /// What falls due: renewals, retries, expiries.
    package let renewer: SubscriptionRenewer
    package let renewalJanitor: RenewalJanitor
    let subscriptions: SubscriptionDesk
    let subscriptionReader: SubscriptionReader
    let clocks: ClockDesk
    package let pruner: JournalPruner

    /// - Parameters:
    ///   - bus: for quotes, charges and hints.
    ///   - clock: where business time comes from.
    ///   - claims: how replicas divide what was left under way.
    ///   - checkpoint: for tests that stop a purchase half-way; nothing in a store that sells.
    package convenience init(
        database: any SQLDatabase, bus: any BusClient, clock: BusinessClock = BusinessClock(),
        claims: PurchaseClaims = PurchaseClaims(), logger: Logger, checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        self.init(
            database: database,
            collaborators: .onBus(bus),
            clock: clock, claims: claims, logger: logger, checkpoint: checkpoint)
    }

    /// As above, with the other services as functions.
    package init(
        database: any SQLDatabase, collaborators: PurchaseCollaborators, clock: BusinessClock = BusinessClock(),
        claims: PurchaseClaims = PurchaseClaims(), logger: Logger, checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        let store = PurchaseStore(database: database, clock: clock, claims: claims, checkpoint: checkpoint)
        let settling = PurchaseDriver(
            store: store, collaborators: collaborators, checkpoint: checkpoint, logger: logger)
        self.database = database
        self.logger = logger
        self.accounts = AccountOpener(database: database, clock: clock)
        let defaults = AppDefaults(fetch: collaborators.app)
        self.customers = AccountReader(database: database, defaults: defaults)
        self.testers = TesterDesk(database: database, clock: clock, storefronts: collaborators.storefronts)
        let quotes = QuoteCache(fetch: collaborators.quote)
        let renewals = RenewalStore(database: database, clock: clock, claims: claims, checkpoint: checkpoint)
        let renewer = SubscriptionRenewer(store: renewals, quotes: quotes, driver: settling, logger: logger)
        self.renewer = renewer
        // A renewal settles like a purchase, and a purchase lets renewals go first.
        let catchUp: PurchaseDriver.CatchUp = { try await renewer.catchUp($0, group: $1, until: $2) }
        let driver = settling.lettingFirst(catchUp)
        self.subscriptionReader = SubscriptionReader(database: database, clock: clock, quotes: quotes)
        self.subscriptions = SubscriptionDesk(store: renewals, renewer: renewer, reader: subscriptionReader)
        self.clocks = ClockDesk(store: ClockStore(database: database, clock: clock), renewer: renewer)
        self.renewalJanitor = RenewalJanitor(renewer: renewer, clocks: clocks, logger: logger)
        self.purchases = PurchaseCoordinator(store: store, driver: driver, quotes: quotes)
        self.prompts = PromptDesk(store: store, driver: driver)
        self.history = HistoryDesk(
            store: store, driver: driver, renewer: renewer, cancelCharge: collaborators.cancelCharge)
        self.queue = QueueReader(database: database)
        self.events = EventReader(database: database)
        self.transactions = TransactionDesk(
            database: database, clock: clock, checkpoint: checkpoint, publish: collaborators.publish)
        self.operators = OperatorDesk(store: store, driver: driver)
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
        self.refunds = RefundDesk(store: refundStore, collaborators: collaborators, catchUp: catchUp, logger: logger)
        self.refundJanitor = RefundJanitor(store: refundStore, desk: refunds)
        self.receipts = ReceiptDesk(database: database, clock: clock)
        self.pruner = JournalPruner(database: database, clock: clock, logger: logger)
    }

    /// Registers every endpoint and the health checks; before the bus service runs.
    package func register(on service: BusService) {
        registerPurchases(on: service)
        registerTransactions(on: service)
        registerQueue(on: service)
        registerRestores(on: service)
        registerTesters(on: service)
        registerSubscriptions(on: service)
        registerSales(on: service)
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

    private func registerPurchases(on service: BusService) {
        service.handle(PaymentEndpoints.openAccount) { [accounts] request, _ in
            try await answering { try await accounts.open(request) }
        }
        service.handle(PaymentEndpoints.getAccount) { [customers] request, context in
            try await answering { try await customers.get(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.addPayment) { [purchases] request, context in
            try await answering { try await purchases.add(request, deadline: context.deadline) }
        }
    }

    private func registerTransactions(on service: BusService) {
        service.handle(PaymentEndpoints.getTransaction) { [transactions] request, _ in
            try await answering { try await transactions.get(request) }
        }
        service.handle(PaymentEndpoints.finishTransaction) { [transactions] request, _ in
            try await answering { try await transactions.finish(request) }
        }
        service.handle(PaymentEndpoints.approveTransaction) { [operators] request, context in
            try await answering { try await operators.say(.approve, request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.declineTransaction) { [operators] request, context in
            try await answering { try await operators.say(.decline, request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.resolveTransaction) { [operators] request, context in
            try await answering { try await operators.say(.resolve, request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.deleteTransaction) { [history] request, context in
            try await answering { try await history.delete(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.history) { [transactions] request, _ in
            try await answering { try await transactions.history(request) }
        }
        service.handle(PaymentEndpoints.listTransactions) { [transactions] request, _ in
            try await answering { try await transactions.list(request) }
        }
        service.handle(PaymentEndpoints.offerSummary) { [transactions] request, _ in
            try await answering { try await transactions.offerSummary(request) }
        }
        service.handle(PaymentEndpoints.offerSummaries) { [transactions] request, _ in
            try await answering { try await transactions.offerSummaries(request) }
        }
    }

    private func registerQueue(on service: BusService) {
        service.handle(PaymentEndpoints.snapshot) { [queue] request, _ in
            try await answering { try await queue.snapshot(request) }
        }
        service.handle(PaymentEndpoints.changes) { [queue] request, _ in
            try await answering { try await queue.changes(request) }
        }
        service.handle(PaymentEndpoints.heads) { [queue] request, _ in
            try await answering { try await queue.heads(request) }
        }
        service.handle(PaymentEndpoints.listEvents) { [events] request, _ in
            try await answering { try await events.list(request) }
        }
    }

    private func registerRestores(on service: BusService) {
        service.handle(PaymentEndpoints.startRestore) { [restores] request, context in
            try await answering { try await restores.start(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.getRestore) { [restores] request, _ in
            try await answering { try await restores.get(request) }
        }
        service.handle(PaymentEndpoints.acknowledgeRestore) { [restores] request, _ in
            try await answering { try await restores.acknowledge(request) }
        }
        service.handle(PaymentEndpoints.updateDownload) { [downloads] request, context in
            try await answering { try await downloads.update(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.getDownload) { [downloads] request, _ in
            try await answering { try await downloads.get(request) }
        }
    }

    private func registerTesters(on service: BusService) {
        service.handle(PaymentEndpoints.getTester) { [testers] request, _ in
            try await answering { try await testers.get(request) }
        }
        service.handle(PaymentEndpoints.putTester) { [testers] request, context in
            try await answering { try await testers.put(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.deleteTester) { [testers] request, _ in
            try await answering { try await testers.delete(request) }
        }
        service.handle(PaymentEndpoints.listTesters) { [testers] request, _ in
            try await answering { try await testers.list(request) }
        }
        service.handle(PaymentEndpoints.listPrompts) { [prompts] request, _ in
            try await answering { try await prompts.list(request) }
        }
        service.handle(PaymentEndpoints.answerPrompt) { [prompts] request, context in
            try await answering { try await prompts.answer(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.clearHistory) { [history] request, context in
            try await answering { try await history.clear(request, deadline: context.deadline) }
        }
        service.handle(PaymentEndpoints.reset) { [history] request, context in
            try await answering { try await history.reset(request, deadline: context.deadline) }
        }
    }

    /// Resolves what was left unknown and prunes the journal until graceful shutdown, then closes the database. In a
    /// service group it stands before the bus service, so that it ends after the last request.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await self.repeating("janitor", every: PurchaseJanitor.interval) { try await self.janitor.sweep() }
                }
                group.addTask { await self.callbacks.run() }
                group.addTask { await self.renewalJanitor.run() }
                group.addTask {
                    await self.repeating("restore janitor", every: RestoreJanitor.interval) {
                        try await self.restoreJanitor.sweep()
                    }
                }
                group.addTask {
                    await self.repeating("refund janitor", every: RefundJanitor.interval) {
                        try await self.refundJanitor.sweep()
                    }
                }
                group.addTask {
                    await self.repeating("pruner", every: JournalPruner.interval) { try await self.pruner.prune() }
                }
            }
        }
        await database.close()
    }

    /// Runs `work` at once and then again and again. A round that fails is told of and not the end: the next may work.
    private func repeating(
        _ name: String, every interval: Duration, _ work: @Sendable () async throws -> Int
    ) async {
        while !Task.isCancelled {
            do {
                _ = try await work()
            } catch is CancellationError {
                return
            } catch {
                logger.warning("\(name) failed, it will run again", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: interval)
        }
    }
}

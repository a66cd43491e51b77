import BusClient
import BusService
import Logging
import Metrics
import Operations
import Persistence
import PlantedBugs
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Registers the payment queue's endpoints on the bus and runs its background jobs.
///
/// ```swift
/// let queue = PaymentQueueService(database: database, bus: bus, logger: logger)
/// queue.register(on: service)
/// try await queue.run()                   // background jobs, until graceful shutdown
/// ```
package final class PaymentQueueService: ServiceLifecycle.Service, QueuePart {
    let context: QueueContext
    let accounts: AccountService
    let testers: TesterService
    let purchases: PurchaseService
    let offerCodes: OfferCodeService
    /// Shares the purchases of families.
    let sharing: SharingService
    let families: FamilyService
    let prompts: PromptService
    let signIns: SignInService
    /// Asks about subscriptions whose price has risen.
    let priceConsents: PriceConsentService
    let history: HistoryService
    let copies: AppCopy
    let queue: QueueReader
    let events: EventService
    let transactions: TransactionService
    let restores: RestoreService
    let downloads: DownloadService
    let callbacks: ChargeCallbacks
    /// Captures the charges of purchases that were authorized before their commit.
    let captures: CaptureService
    let refunds: RefundService
    let refundRequests: RefundRequestService
    let receipts: ReceiptService
    /// Charges renewals and ends subscriptions when they fall due.
    let renewals: RenewalService
    let subscriptions: SubscriptionService
    let extensions: ExtensionService
    let subscriptionReader: SubscriptionReader
    let serverAPI: ServerAPIService
    let serverEvents: ServerEventService
    let clocks: ClockService
    /// Ends leases on apps' versions, and removes an app's quotes from the cache, when Catalog recalls the leases.
    private let appChanges: BackgroundJob
    let pruner: JournalPruner

    /// Creates a service that calls the other services over the bus.
    /// - Parameters:
    ///   - bus: The connection for quotes, charges and notifications.
    ///   - clock: The source of wall time.
    ///   - claims: The division of unfinished work among replicas.
    ///   - metrics: Nil for the process's own factory.
    ///   - checkpoint: Stops a purchase half-way in tests, and does nothing in production.
    convenience init(
        database: any SQLDatabase, bus: any BusClient, clock: BusinessClock = BusinessClock(),
        claims: PurchaseClaims = PurchaseClaims(), logger: Logger, metrics: (any MetricsFactory)? = nil,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        self.init(
            database: database, collaborators: .onBus(bus), executor: bus.loop, clock: clock, claims: claims,
            logger: logger, metrics: metrics, checkpoint: checkpoint)
    }

    /// Creates a service that calls the other services through functions.
    init(
        database: any SQLDatabase, collaborators: PurchaseCollaborators, executor: (any TaskExecutor)? = nil,
        clock: BusinessClock = BusinessClock(), claims: PurchaseClaims = PurchaseClaims(), logger: Logger,
        metrics: (any MetricsFactory)? = nil,
        checkpoint: @escaping CheckpointHook = { _ in }
    ) {
        let appVersions = collaborators.appVersions
        let quotes = QuoteCache(
            leased: { appVersions?.heldOrRequested(ExactText($0)) }, fetch: collaborators.quote)
        let context = QueueContext(
            database: database, executor: executor, clock: clock, claims: claims, collaborators: collaborators,
            quotes: quotes,
            defaults: AppDefaults(fetch: collaborators.app),
            leases: LeaseIssuer(database, logger: logger, send: collaborators.recallLease), checkpoint: checkpoint,
            record: SalesRecord(logger: logger, factory: metrics), logger: logger)
        self.context = context
        accounts = AccountService(context: context)
        testers = TesterService(context: context)
        appChanges = BackgroundJob { await appVersions?.recalls { quotes.forget($0) }.run() }
        let inFlight = InFlightRegistry()
        renewals = RenewalService(context: context, purchases: inFlight)
        subscriptionReader = SubscriptionReader(context: context)
        serverAPI = ServerAPIService(context: context, subscriptions: subscriptionReader)
        subscriptions = SubscriptionService(renewals: renewals, reader: subscriptionReader)
        extensions = ExtensionService(subscriptions: subscriptions, logger: logger)
        priceConsents = PriceConsentService(context: context)
        clocks = ClockService(context: context, renewals: renewals)
        serverEvents = ServerEventService(context: context, subscriptions: subscriptionReader, clocks: clocks)
        captures = CaptureService(context: context)
        purchases = PurchaseService(
            context: context, renewals: renewals,
            newPurchases: NewPurchases(context: context, captures: captures), inFlight: inFlight)
        offerCodes = OfferCodeService(context: context)
        sharing = SharingService(context: context)
        families = FamilyService(context: context, sharing: sharing)
        prompts = PromptService(context: context, purchases: purchases)
        signIns = SignInService(context: context)
        history = HistoryService(context: context, purchases: purchases, renewals: renewals)
        copies = AppCopy(context: context)
        queue = QueueReader(context: context)
        events = EventService(database: database)
        transactions = TransactionService(context: context)
        restores = RestoreService(context: context)
        downloads = DownloadService(context: context)
        callbacks = ChargeCallbacks(
            purchases: purchases, renewals: renewals, subscribe: collaborators.chargeChanges)
        refunds = RefundService(context: context, renewals: renewals)
        refundRequests = RefundRequestService(context: context, refunds: refunds)
        receipts = ReceiptService(context: context)
        pruner = JournalPruner(context: context)
    }

    /// Registers every endpoint and the health checks. Call it before the bus service runs.
    package func register(on service: BusService) {
        let endpoints = DatabaseEndpoints(of: "the payment queue", on: service)
        registerPurchases(on: endpoints)
        registerFamilies(on: endpoints)
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
        service.healthCheck("captures") { [captures] in
            do {
                let overdue = try await captures.overdueCount()
                guard overdue > 0 else { return .pass }
                return .warn("charges of \(overdue) purchases are not captured after a minute; see payment-processor")
            } catch {
                return .fail("\(error)")
            }
        }
    }

    private func registerPurchases(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.openAccount, accounts.open)
        endpoints.handle(PaymentEndpoints.getAccount, accounts.get)
        endpoints.handle(PaymentEndpoints.addPayment) { [purchases, priceConsents] request, deadline in
            let reply = try await purchases.add(request, deadline: deadline)
            SpanTracer.note("storebus.transaction", reply.transaction.transactionIdentifier)
            SpanTracer.note("storebus.transaction.id", reply.transaction.id)
            // The catalogue has not changed, so nothing else compares the former price with it at once.
            if request.past?.price != nil { try await priceConsents.sweep() }
            return reply
        }
        endpoints.handle(PaymentEndpoints.addOfferCode, offerCodes.add)
        endpoints.handle(PaymentEndpoints.listOfferCodes, offerCodes.list)
        endpoints.handle(PaymentEndpoints.activateOfferCode, offerCodes.activate)
        endpoints.handle(PaymentEndpoints.findOfferCode, offerCodes.find)
    }

    private func registerFamilies(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.putFamily, families.put)
        endpoints.handle(PaymentEndpoints.listFamilies, families.list)
        endpoints.handle(PaymentEndpoints.endFamily, families.end)
        endpoints.handle(PaymentEndpoints.putFamilyMember, families.add)
        endpoints.handle(PaymentEndpoints.removeFamilyMember, families.remove)
    }

    private func registerTransactions(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.getTransaction, transactions.get)
        endpoints.handle(PaymentEndpoints.finishTransaction, transactions.finish)
        endpoints.handle(PaymentEndpoints.continueTransaction, prompts.continuePurchase)
        endpoints.handle(PaymentEndpoints.approveTransaction) { [prompts] request, deadline in
            try await prompts.apply(.approve, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.declineTransaction) { [prompts] request, deadline in
            try await prompts.apply(.decline, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.resolveTransaction) { [prompts] request, deadline in
            try await prompts.apply(.resolve, request, deadline: deadline)
        }
        endpoints.handle(PaymentEndpoints.findTransaction, transactions.find)
        endpoints.handle(PaymentEndpoints.redeliverTransaction, transactions.redeliver)
        endpoints.handle(PaymentEndpoints.deleteTransaction, history.delete)
        endpoints.handle(PaymentEndpoints.history, transactions.history)
        endpoints.handle(PaymentEndpoints.listTransactions, transactions.list)
        endpoints.handle(PaymentEndpoints.offerSummaries, transactions.offerSummaries)
    }

    private func registerQueue(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PaymentEndpoints.snapshot(as: TransactionJSON.self)) { [queue, signIns] request, deadline in
            var page = try await queue.snapshot(request, deadline: deadline)
            try await signIns.ask(about: page, request)
            page.priceConsents = try await signIns.priceConsents(request)
            return page
        }
        endpoints.handle(PaymentEndpoints.unfinishedLists, queue.unfinished)
        endpoints.handle(PaymentEndpoints.changes, queue.changes)
        endpoints.handle(PaymentEndpoints.heads, queue.heads)
        endpoints.handle(PaymentEndpoints.listEvents, events.list)
        endpoints.handle(PaymentEndpoints.lastEvents, events.last)
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
        endpoints.handle(PaymentEndpoints.leaseTesters, testers.lease)
        endpoints.handle(PaymentEndpoints.listPrompts, prompts.list)
        endpoints.handle(PaymentEndpoints.answerPrompt, prompts.answer)
        endpoints.handle(PaymentEndpoints.clearHistory, history.clear)
        endpoints.handle(PaymentEndpoints.reset, history.reset)
        endpoints.handle(PaymentEndpoints.removeApp, history.removeApp)
        endpoints.handle(PaymentEndpoints.copyApp, copies.copy)
        endpoints.handle(PaymentEndpoints.markApp, copies.mark)
    }

    private func job(
        _ name: String, every interval: Duration, _ work: @escaping @Sendable () async throws -> BackgroundJob.Rest
    ) -> BackgroundJob { .repeating(name, every: interval, database.commits, logger, work) }

    /// Runs the background jobs until graceful shutdown, then closes the database.
    ///
    /// In a service group it precedes the bus service, so that it ends after the last request.
    package func run() async throws {
        await BackgroundJob.run([
            job("purchase sweep", every: PurchaseService.sweepInterval) { try await self.purchases.round() },
            job("capture sweep", every: CaptureService.interval) { try await self.captures.round() },
            BackgroundJob { await self.callbacks.run() },
            appChanges,
            BackgroundJob { await self.leases.run() },
            job("clock sweep", every: ClockService.sweepInterval) { try await self.clocks.round() },
            job("restore sweep", every: RestoreService.sweepInterval) {
                .after(left: try await self.restores.sweep())
            },
            job("refund sweep", every: RefundService.sweepInterval) { .after(left: try await self.refunds.sweep()) },
            job("extension sweep", every: ExtensionService.sweepInterval) {
                .after(left: try await self.extensions.sweep())
            },
            job("prompt sweep", every: PromptService.interval) { try await self.prompts.round() },
            job("family sweep", every: SharingService.sweepInterval) {
                .after(left: try await self.sharing.sweep())
            },
            job("price sweep", every: PriceConsentService.interval) { try await self.priceConsents.round() },
            job("pruner", every: JournalPruner.interval) {
                try await self.pruner.prune()
                try await self.serverEvents.prune()
                return .interval
            },
        ])
        await database.close()
    }
}

extension PaymentQueueService {
    /// Returns the hook for checkpoints. It does nothing unless `STOREBUS_FAIL` has a ``FailpointPlan``.
    ///
    /// Release builds do not read `STOREBUS_FAIL`.
    /// - Throws: A `StartupError` that names the unknown entry.
    static func checkpoints(_ environment: ServiceEnvironment) throws(StartupError) -> CheckpointHook {
        #if FAILPOINTS
            guard let text = try environment.configuration.string("storebus.fail") else { return { _ in } }
            do throws(FailpointPlan.Mistake) {
                let failpoints = Failpoints(
                    text.hasPrefix("@") ? .file(String(text.dropFirst())) : .plan(try FailpointPlan(text)))
                environment.logger.warning("this process fails on purpose", metadata: ["STOREBUS_FAIL": "\(text)"])
                return { try failpoints.reach($0) }
            } catch {
                throw StartupError(.badConfiguration, "STOREBUS_FAIL: \(error)")
            }
        #else
            return { _ in }
        #endif
    }
}

extension PaymentQueueService {
    /// Opens and migrates the process's database and creates the service.
    /// - Throws: A `StartupError` that names the place, its fault and the remedy.
    package static func open(_ environment: ServiceEnvironment) async throws(StartupError) -> PaymentQueueService {
        let database = try await environment.openDatabase(PaymentQueueSchema.migrations)
        if PlantedBug.chosen != nil { await PlantedBug.weaken(database) }
        return PaymentQueueService(
            database: database, bus: environment.bus, logger: environment.logger,
            checkpoint: try checkpoints(environment))
    }
}

/// Registers the endpoints of refunds, revocations, receipts and entitlements.
extension PaymentQueueService {
    func registerSales(on endpoints: DatabaseEndpoints) {
        endpoints.handle(SubscriptionEndpoints.refund) { [refunds] request, deadline in
            try await refunds.takeBack(request, .refunded, deadline: deadline)
        }
        endpoints.handle(SubscriptionEndpoints.revoke) { [refunds] request, deadline in
            try await refunds.takeBack(request, .revoked, deadline: deadline)
        }
        endpoints.handle(ServerAPIEndpoints.reverseRefund, refunds.reverse)
        endpoints.handle(ServerAPIEndpoints.openRefundRequest, refundRequests.open)
        endpoints.handle(ServerAPIEndpoints.getRefundRequest, refundRequests.get)
        endpoints.handle(ServerAPIEndpoints.listRefundRequests, refundRequests.list)
        endpoints.handle(ServerAPIEndpoints.grantRefundRequest, refundRequests.grant)
        endpoints.handle(ServerAPIEndpoints.declineRefundRequest, refundRequests.decline)
        endpoints.handle(ServerAPIEndpoints.consumption, refundRequests.consume)
        endpoints.handle(SubscriptionEndpoints.acknowledgeRevocations, refunds.acknowledge)
        endpoints.handle(SubscriptionEndpoints.receipt, receipts.facts)
        endpoints.handle(PaymentEndpoints.storePageCustomers, transactions.storePageCustomers)
        endpoints.handle(ServerAPIEndpoints.lookup, serverAPI.lookup)
        endpoints.handle(ServerAPIEndpoints.appTransaction, serverAPI.appTransaction)
        endpoints.handle(ServerAPIEndpoints.modified, serverAPI.modified)
        endpoints.handle(ServerAPIEndpoints.statuses, serverAPI.statuses)
        endpoints.handle(ServerAPIEndpoints.viewed, serverAPI.viewed)
        endpoints.handle(ServerAPIEndpoints.outcomes, serverAPI.outcomes)
        endpoints.handle(ServerAPIEndpoints.extend, extensions.extend)
        endpoints.handle(ServerAPIEndpoints.extendAll, extensions.extendAll)
        endpoints.handle(ServerAPIEndpoints.extensions, extensions.status)
        endpoints.handle(ServerAPIEndpoints.setAppAccountToken, transactions.setAppAccountToken)
        endpoints.handle(ServerAPIEndpoints.listEvents, serverEvents.list)
        endpoints.handle(ServerAPIEndpoints.acknowledgeEvents, serverEvents.acknowledge)
    }
}

/// Registers the endpoints of subscriptions and clocks.
extension PaymentQueueService {
    func registerSubscriptions(on endpoints: DatabaseEndpoints) {
        endpoints.handle(SubscriptionEndpoints.list, subscriptionReader.list)
        endpoints.handle(SubscriptionEndpoints.search, subscriptionReader.search)
        endpoints.handle(SubscriptionEndpoints.timeline, subscriptionReader.timeline)
        endpoints.handle(SubscriptionEndpoints.update, subscriptions.update)
        endpoints.handle(SubscriptionEndpoints.showPriceConsent, subscriptions.showPriceConsent)
        endpoints.handle(SubscriptionEndpoints.operate, subscriptions.operate)
        endpoints.handle(SubscriptionEndpoints.getClock, clocks.get)
        endpoints.handle(SubscriptionEndpoints.putClock, clocks.put)
        endpoints.handle(SubscriptionEndpoints.advanceClock, clocks.advance)
        endpoints.handle(SubscriptionEndpoints.getAdvance, clocks.progress)
    }
}

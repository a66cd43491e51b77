import EventLoop
import Logging
import PaymentProcessor
import Persistence
import PlantedBugs
import StoreModels

@testable import PaymentQueue

/// The payment queue and the processor, as they are, between simulated disks and a simulated network.
///
/// A process that crashes is started again on the same disk. Messages are requests to the processor and its callbacks.
final class SimulatedStore: Sendable {
    /// A payment queue, from its start to its crash.
    struct Queue: Sendable {
        let life: SimulatedLife
        let service: PaymentQueueService
    }

    /// A processor, from its start to its crash.
    private struct Processor: Sendable {
        let life: SimulatedLife
        let ledger: ChargeLedger
        let settler: ChargeSettler
    }

    static let bundleId = "com.example.app"
    /// The steps from a crash to the next start.
    private static let downtime = 20
    private static let noReply = StoreError(.deadlineExceeded, "the processor has not answered")

    let executor: SimulationExecutor
    let faults: SimulatedFaults
    let queueDisk: SimulatedDisk
    let ledgerDisk: SimulatedDisk
    /// A deadline that no run reaches. Time is steps here, and only the wall clock is moved.
    let deadline = ContinuousClock.now + .seconds(86_400)
    /// The wall clock in milliseconds. Each reading moves it, so identifiers made of it have one order.
    private let wall = Locked<Int64>(1_795_000_000_000)
    private let log: SimulationLog
    private let committed: @Sendable () -> Void
    private let queue = Locked<Queue?>(nil)
    private let processor = Locked<Processor?>(nil)
    private let sweeps = Locked(0)

    /// Opens both databases, and starts both processes.
    /// - Parameters:
    ///   - committed: Runs after each commit of either.
    ///   - critical: Gets the processes' critical log lines: a ledger that disagrees.
    init(
        _ executor: SimulationExecutor, _ faults: SimulatedFaults, committed: @escaping @Sendable () -> Void,
        critical: @escaping @Sendable (String) -> Void
    ) throws {
        (self.executor, self.faults, self.committed) = (executor, faults, committed)
        log = SimulationLog(critical: critical)
        queueDisk = try SimulatedDisk(
            "payment-queue", PaymentQueueSchema.migrations, statement: .queueStatement, commit: .queueCommit)
        ledgerDisk = try SimulatedDisk(
            "payment-processor", PaymentProcessorSchema.migrations, statement: .ledgerStatement, commit: .ledgerCommit)
        startProcessor()
        startQueue()
    }

    static func customer(_ number: Int) -> CustomerReference {
        CustomerReference(bundleId: bundleId, customerIdentifier: "c_\(number)")
    }

    /// Makes the customers and a code, without faults, and removes the keys that a planted bug does without.
    func prepare() {
        executor.start { [self] in
            guard let database = current?.service.context.database else { return }
            if PlantedBug.chosen != nil { await PlantedBug.weaken(database) }
            let now = now
            do {
                try await database.write { transaction in
                    for number in 0..<SimulatedHistory.customers {
                        _ = try await CustomerRepository.open(
                            account: "account-\(number)", bundleId: Self.bundleId, storefront: "USA",
                            newIdentifier: Self.customer(number).customerIdentifier, wall: now(), in: transaction)
                    }
                    try await OfferCodeRepository.insert(
                        SimulatedCatalogue.code, of: Self.bundleId, digests: [SimulatedCatalogue.redeemedCode.digest],
                        in: transaction)
                }
            } catch {
                fatalError("the simulation's customers cannot be made: \(error)")
            }
        }
    }

    /// Ends both processes for good.
    func end() {
        queue.withLock { $0 = nil }
        processor.withLock { $0 = nil }
    }

    // MARK: Clock

    /// Reads the wall clock.
    private var now: @Sendable () -> Timestamp {
        { [wall] in
            wall.withLock { milliseconds -> Timestamp in
                milliseconds += 1
                return Timestamp(milliseconds: milliseconds)
            }
        }
    }

    func advance(by time: Duration) { wall.withLock { $0 += time.components.seconds * 1_000 } }

    /// The wall clock without a reading, in milliseconds.
    var milliseconds: Int64 { wall.withLock { $0 } }

    // MARK: Processes

    /// The payment queue, also for a moment after its crash.
    var current: Queue? { queue.withLock { $0 } }

    func crashQueue() { current?.life.crash() }

    func crashProcessor() { processor.withLock { $0 }?.life.crash() }

    private var logger: Logger { Logger(label: "simulation") { [log] _ in log } }

    private func startQueue() {
        let life = SimulatedLife(executor, faults) { [weak self, queueDisk, executor] in
            queueDisk.rollBack()
            executor.perform(after: Self.downtime) { [weak self] in self?.startQueue() }
        }
        let service = PaymentQueueService(
            database: SimulatedDatabase(queueDisk, life, isAcknowledgedEarly: true, committed: committed),
            collaborators: collaborators(life), executor: executor, clock: BusinessClock(wall: now),
            claims: PurchaseClaims(headStart: .zero, lease: .zero), logger: logger,
            checkpoint: { _ in try life.reach(.checkpoint) })
        queue.withLock { $0 = Queue(life: life, service: service) }
    }

    private func startProcessor() {
        let life = SimulatedLife(executor, faults) { [weak self, ledgerDisk, executor] in
            ledgerDisk.rollBack()
            executor.perform(after: Self.downtime) { [weak self] in self?.startProcessor() }
        }
        let start = milliseconds
        let ledger = ChargeLedger(
            database: SimulatedDatabase(ledgerDisk, life, committed: committed),
            behavior: SimulatedBehavior(faults: faults), wall: now,
            uptime: { [wall] in .milliseconds(wall.withLock { $0 } - start) }, logger: logger)
        let settler = ChargeSettler(ledger: ledger) { [weak self] change in self?.callBack(change.chargeKey) }
        processor.withLock { $0 = Processor(life: life, ledger: ledger, settler: settler) }
    }

    // MARK: Messages

    private func collaborators(_ life: SimulatedLife) -> PurchaseCollaborators {
        PurchaseCollaborators(
            quote: { (request, _) async throws(StoreError) in SimulatedCatalogue.quote(request) },
            charge: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.create(request) }
            },
            authorize: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.authorize(request) }
            },
            capture: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.capture(request) }
            },
            cancelCharge: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.cancel(request) }
            },
            refund: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.refund(request) }
            },
            reverseRefund: { [weak self] (request, _) async throws(StoreError) in
                try await Self.ask(self, life) { ledger in try await ledger.reverse(request) }
            },
            copyLedger: { (_, _) async throws(StoreError) in Empty() },
            publish: { _ in },
            app: { (request, _) async throws(StoreError) in
                App(bundleId: request.bundleId, settings: AppSettings(name: "Example"), catalogVersion: 1)
            },
            storefronts: { (_) async throws(StoreError) in [] })
    }

    /// Sends a request to the processor, and waits for the reply or for the end of patience.
    private static func ask<Reply: Sendable>(
        _ store: SimulatedStore?, _ life: SimulatedLife,
        _ handle: @escaping @Sendable (ChargeLedger) async throws -> Reply
    ) async throws(StoreError) -> Reply {
        guard let store, !life.isDead else { throw noReply }
        let effect = store.faults.next(.message)
        let result = await withCheckedContinuation { (caller: CheckedContinuation<Result<Reply, StoreError>, Never>) in
            switch effect {
            case .loseRequest: store.executor.perform(after: 5) { caller.resume(returning: .failure(noReply)) }
            case .late:
                store.executor.perform(after: 5) { caller.resume(returning: .failure(noReply)) }
                store.deliver(after: 120, handle) { _ in }
            case .loseReply: store.deliver(handle) { _ in caller.resume(returning: .failure(noReply)) }
            case .twice:
                store.deliver(handle) { caller.resume(returning: $0) }
                store.deliver(after: 80, handle) { _ in }
            default: store.deliver(handle) { caller.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    private func deliver<Reply: Sendable>(
        after delay: Int = 0, _ handle: @escaping @Sendable (ChargeLedger) async throws -> Reply,
        _ answer: @escaping @Sendable (Result<Reply, StoreError>) -> Void
    ) {
        executor.perform(after: delay) { [executor, processor] in
            let receiver = processor.withLock { $0 }
            executor.start {
                let result = await Self.result(of: handle, at: receiver)
                executor.perform { answer(result) }
            }
        }
    }

    private static func result<Reply: Sendable>(
        of handle: @Sendable (ChargeLedger) async throws -> Reply, at receiver: Processor?
    ) async -> Result<Reply, StoreError> {
        guard let receiver, !receiver.life.isDead else { return .failure(noReply) }
        do {
            let reply = try await handle(receiver.ledger)
            return receiver.life.isDead ? .failure(noReply) : .success(reply)
        } catch let error as StoreError {
            return .failure(receiver.life.isDead ? noReply : error)
        } catch {
            // The database's errors say nothing about the outcome.
            return .failure(noReply)
        }
    }

    /// Sends the processor's callback about a charge.
    private func callBack(_ key: String) {
        switch faults.next(.message) {
        case .loseRequest, .loseReply: break
        case .late: executor.perform(after: 120) { self.retry(chargeKey: key) }
        case .twice:
            for delay in [0, 80] { executor.perform(after: delay) { self.retry(chargeKey: key) } }
        default: executor.perform { self.retry(chargeKey: key) }
        }
    }

    // MARK: Jobs

    /// Does what the processes do by themselves in the background.
    func work(_ job: SimulatedOperation.Job) {
        guard let service = current?.service else { return }
        let number = sweeps.withLock { sweeps -> Int in
            sweeps += 1
            return sweeps
        }
        // A time at which everything that has failed is due again.
        let now = deadline + .seconds(60 * number)
        switch job {
        case .purchases: for id in rows("id", isOf: Self.unsettled) { drive(id, service) }
        case .renewals: for id in rows("original_id", isOf: Self.due, .integer(milliseconds)) { catchUp(id, service) }
        case .captures: run { _ = try await service.captures.sweep(now: now) }
        case .refunds: run { _ = try await service.refunds.sweep(now: now) }
        case .restores: run { _ = try await service.restores.sweep() }
        case .charges:
            let settler = processor.withLock { $0 }?.settler
            run { _ = try await settler?.round() }
        }
    }

    /// What the queue does about a callback: ``ChargeCallbacks``, without its stream.
    private func retry(chargeKey: String) {
        guard let service = current?.service else { return }
        if let id = StoredTransaction.id(ofChargeKey: chargeKey) {
            drive(id, service)
        } else if let id = RenewalAttempt.originalID(ofChargeKey: chargeKey) {
            catchUp(id, service)
        }
    }

    private func drive(_ id: String, _ service: PaymentQueueService) {
        runImpatiently { [deadline] in _ = try await service.purchases.drive(id, until: deadline) }
    }

    private func catchUp(_ originalID: String, _ service: PaymentQueueService) {
        runImpatiently { [deadline] in _ = try await service.renewals.catchUp(originalID, until: deadline) }
    }

    /// The transactions that a sweep drives. Its own attempts have deadlines of the real clock.
    private static let unsettled = """
        SELECT id FROM payment_transaction
        WHERE phase NOT IN ('settled', 'quarantined') AND awaits_answer = 0 AND waits_for IS NULL ORDER BY id
        """
    /// The subscriptions that a sweep renews. It rests by the real clock after failures, so it does not run here.
    private static let due = """
        SELECT original_id FROM subscription WHERE due_at <= ? OR attempt IS NOT NULL ORDER BY due_at, original_id
        """

    private func rows(_ column: String, isOf sql: String, _ arguments: SQLValue...) -> [String] {
        do {
            let rows = arguments.isEmpty ? try queueDisk.rows(sql) : try queueDisk.rows(sql, arguments[0])
            return try rows.values(of: column)
        } catch {
            fatalError("\(sql): \(error)")
        }
    }

    /// Runs a job. One that fails is tried again by a later one.
    private func run(_ body: @escaping @Sendable () async throws -> Void) {
        executor.start { do { try await body() } catch {} }
    }

    /// Runs something that waits between its tries.
    func runImpatiently(_ body: @escaping @Sendable () async throws -> Void) {
        executor.startImpatient { do { try await body() } catch {} }
    }
}

/// The processor's decisions, some of which the history makes.
private struct SimulatedBehavior: ProcessorBehavior {
    let faults: SimulatedFaults

    func decide(_ request: CreateChargeRequest) -> ChargeDecision {
        switch faults.next(.decision) {
        case .decline: ChargeDecision(.declined, declineReason: "No money.")
        case .pend: ChargeDecision(.pending)
        default: ChargeDecision(.approved)
        }
    }
}

/// What the simulated store sells: a consumable, a non-consumable, and two levels of subscriptions with a trial.
enum SimulatedCatalogue {
    static let products = [
        product("coins", .consumable, 99), product("beaches", .nonConsumable, 199),
        subscription("basic.monthly", 999), subscription("pro.monthly", 1_999),
    ]

    static func quote(_ request: QuoteRequest) -> Quote {
        guard let product = products.first(where: { $0.productIdentifier == request.productIdentifier }) else {
            return Quote(catalogVersion: 1, settingsRevision: 1, availability: .unknown)
        }
        var quote = Quote(catalogVersion: 1, settingsRevision: 1, availability: .available, product: product)
        if product.type == .autoRenewable {
            quote.subscriptionLevel = product.productIdentifier == "pro.monthly" ? 1 : 2
            quote.subscriptionGroupProducts = ["basic.monthly", "pro.monthly"]
            quote.redeemableOffers = [RedeemableOffer(type: .code, offer: codeOffer)]
        }
        return quote
    }

    private static let codeOffer = ProductDiscount(
        identifier: "LAUNCH", type: .subscription, price: dollars(499), priceLocale: "en_US@currency=USD",
        paymentMode: .payUpFront, subscriptionPeriod: SubscriptionPeriod(numberOfUnits: 1, unit: .month),
        numberOfPeriods: 1)
    static let code = OfferCode(
        codeIdentifier: "o_1", kind: .custom, code: "SPRING", productIdentifier: "pro.monthly", offer: "LAUNCH",
        redemptionsMax: 2, redemptions: 0, isActive: true, createdAt: Timestamp(milliseconds: 0))
    static let redeemedCode = RedeemedCode(
        codeIdentifier: "o_1", digest: OfferCodeRules.digest(of: "SPRING"), productIdentifier: "pro.monthly",
        offer: "LAUNCH")

    private static func product(_ identifier: String, _ type: ProductType, _ price: Int64) -> Product {
        Product(
            productIdentifier: identifier, type: type, localizedTitle: identifier, localizedDescription: "",
            price: dollars(price), priceLocale: "en_US@currency=USD")
    }

    private static func subscription(_ identifier: String, _ price: Int64) -> Product {
        var product = product(identifier, .autoRenewable, price)
        product.subscriptionPeriod = SubscriptionPeriod(numberOfUnits: 1, unit: .month)
        product.subscriptionGroupIdentifier = "group"
        product.introductoryPrice = ProductDiscount(
            identifier: nil, type: .introductory, price: dollars(0), priceLocale: "en_US@currency=USD",
            paymentMode: .freeTrial, subscriptionPeriod: SubscriptionPeriod(numberOfUnits: 1, unit: .week),
            numberOfPeriods: 2)
        return product
    }

    private static func dollars(_ cents: Int64) -> Money {
        guard let currency = Currency(code: "USD") else { preconditionFailure("there are dollars") }
        return Money(minorUnits: cents, currency: currency)
    }
}

/// Reports critical log lines, and drops all others.
private struct SimulationLog: LogHandler {
    let critical: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.critical

    init(critical: @escaping @Sendable (String) -> Void) { self.critical = critical }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { critical("\(event.message) \(event.metadata ?? [:])") }
}

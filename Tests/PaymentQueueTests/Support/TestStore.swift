import BusClient
import BusService
import EventLoop
import Logging
import Operations
import PaymentProcessor
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PaymentQueue

/// A store small enough for a test: payment-queue and payment-processor with real databases on a bus inside the
/// process, between a catalogue and a processor that do what the test says.
final class TestStore: Sendable {
    typealias Queue = ServiceLife<PaymentQueueService, Checkpoint>

    let catalogue = Catalogue()
    let processor = Processor()
    let bus = InMemoryBus(seed: 1)
    let caller: ServiceCaller
    /// The wall clock, in milliseconds; tests move it.
    let wall = Locked<Int64>(1_795_000_000_000)
    private let files: TestDatabase
    private let logger: Logger
    /// What the payment queue and the processor have logged and counted.
    let log = LogCapture()
    let metrics = PrometheusRegistry()
    private let queues = ServiceLives<PaymentQueueService, Checkpoint>()
    private let ledgerFiles: TestDatabase
    private let ledger: any SQLDatabase
    private let settler = Locked<ChargeSettler?>(nil)
    private let services = Locked<[RunningService]>([])

    /// Stores that run at the same time.
    private static let turns = Turns(12)

    private init(_ engine: Engine) async throws {
        files = try TestDatabase(engine, isHandedOn: true)
        logger = Logger(label: "test") { [log] _ in log.handler() }
        caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        ledgerFiles = try TestDatabase(engine, isHandedOn: true)
        ledger = try await ledgerFiles.open(migrations: PaymentProcessorSchema.migrations)
    }

    /// Runs `body` in a store of its own and takes it down again.
    /// - Parameters:
    ///   - withProcessor: false leaves the processor away until ``startProcessor()``.
    static func with(
        _ engine: Engine = .sqlite, withProcessor: Bool = true,
        _ body: (TestStore) async throws -> Void
    ) async throws {
        try await turns.take {
            let store = try await TestStore(engine)
            do {
                try await store.startCatalogue()
                if withProcessor { try await store.startProcessor() }
                try await store.startQueue()
                try await body(store)
            } catch {
                await store.tearDown()
                throw error
            }
            await store.tearDown()
        }
    }

    /// Runs `body` in a store that sells two levels of subscriptions. Its clock is frozen on 1 March 2027.
    static func withSubscriptions(
        _ engine: Engine, _ body: (TestStore, CustomerApp) async throws -> Void
    ) async throws {
        try await with(engine) { store in
            try await store.putClock("2027-03-01", frozen: true)
            store.catalogue.sell(.subscription("basic.monthly"), level: 2)
            store.catalogue.sell(.subscription("pro.monthly", "19.99"), level: 1)
            try await body(store, try await store.customerApp())
        }
    }

    /// Runs `body` while the changes of a customer are listened to on the bus.
    /// - Returns: The published changes.
    func hints(of customerApp: CustomerApp, during body: () async throws -> Void) async throws -> [CustomerChange] {
        let hints = Locked<[CustomerChange]>([])
        let key = CustomerKey.of(bundleId: Catalogue.bundleId, customerIdentifier: customerApp.customer)
        let subscription = try await bus.client(name: "listener").subscribe(
            PaymentEvents.customerChanged(key: key)
        ) { message in
            if let change = try? StoreJSON.decode(CustomerChange.self, from: message.body) {
                hints.withLock { $0.append(change) }
            }
        }
        try await body()
        let found = hints.withLock { $0 }
        await subscription.unsubscribe()
        return found
    }

    var current: Queue { queues.current }
    /// Nil while the payment queue is down or dead.
    var alive: Queue? { queues.alive }
    var database: any SQLDatabase { current.database }

    func startQueue() async throws {
        // It takes up at once what the one before it has left.
        queues.begin(try await makeQueue(PurchaseClaims(headStart: .zero, lease: .zero)))
    }

    /// Another payment queue on the same database, as one more process would be; PostgreSQL only.
    @discardableResult
    func startReplica(_ claims: PurchaseClaims = PurchaseClaims()) async throws -> Queue {
        let started = try await makeQueue(claims)
        queues.add(replica: started)
        return started
    }

    private func makeQueue(_ claims: PurchaseClaims) async throws -> Queue {
        let database = try await files.open(migrations: PaymentQueueSchema.migrations)
        let crash = CrashPlan<Checkpoint>()
        let clock = BusinessClock { [wall] in Timestamp(milliseconds: wall.withLock { $0 }) }
        let client = bus.client(name: "payment-queue")
        let service = PaymentQueueService(
            database: database, bus: client, clock: clock, claims: claims, logger: logger, metrics: metrics,
            checkpoint: { try crash.reach($0) })
        let running = await RunningService.start(.paymentQueue, on: bus) { service.register(on: $0) }
        return Queue(service, database, crash, running)
    }

    func stopQueue() async { await queues.stop() }

    /// A new process on the same database; it has not swept yet.
    func restartQueue() async throws {
        await stopQueue()
        try await startQueue()
    }

    func startProcessor() async throws {
        let start = now
        let ledger = ChargeLedger(
            database: ledger, behavior: processor,
            wall: { [wall] in Timestamp(milliseconds: wall.withLock { $0 }) },
            uptime: { [wall] in .milliseconds(wall.withLock { $0 } - start.milliseconds) }, logger: logger,
            metrics: metrics)
        settler.withLock { settler in
            settler = ChargeSettler(ledger: ledger) { [caller] in
                caller.publish(event: ProcessorEvents.chargeChanged, $0)
            }
        }
        let running = await RunningService.start(.paymentProcessor, on: bus) {
            PaymentProcessorService(ledger: ledger).register(on: $0)
        }
        services.withLock { $0.append(running) }
    }

    /// The processor approves what was pending long enough, and sends its callbacks.
    func settleCharges() async throws {
        _ = try await settler.withLock(\.self)?.round()
    }

    private func startCatalogue() async throws {
        let running = await RunningService.start(.catalog, on: bus) { [catalogue] service in
            service.handle(CatalogEndpoints.quoteProduct) { request, _ in catalogue.quote(request) }
            service.handle(CatalogEndpoints.getApp) { request, _ in try catalogue.app(request) }
            service.handle(CatalogEndpoints.listStorefronts) { _, _ in catalogue.storefronts }
        }
        services.withLock { $0.append(running) }
    }

    /// It was started first.
    func stopCatalogue() async {
        let running = services.withLock { $0.removeFirst() }
        await running.stop()
    }

    /// The catalogue was started before it.
    func stopProcessor() async {
        let running = services.withLock { $0.removeLast() }
        await running.stop()
    }

    private func tearDown() async {
        await queues.stopAll()
        for running in services.withLock({ $0 }) { await running.stop() }
        await ledger.close()
    }
}

extension TestStore {
    func eventuallySettled(_ condition: () async throws -> Bool) async throws {
        try await eventually("every purchase is settled", condition)
    }
}

extension CustomerChange {
    /// Of the transaction the change is about; empty for one that is about none.
    var transactionID: String { transaction?.id ?? "" }
}

/// Repeats a call, each time with twice the deadline, until the service answers within it.
///
/// For calls that the service answers shortly before their deadline with how far it is. On a busy machine that may be
/// too late for a short deadline.
func answered<Output>(_ call: (_ deadline: Duration) async throws -> Output) async throws -> Output {
    var deadline = Duration.milliseconds(600)
    while true {
        do {
            return try await call(deadline)
        } catch let error as StoreError where error.code == .deadlineExceeded && deadline < .seconds(30) {
            deadline *= 2
        }
    }
}

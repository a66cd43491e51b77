import BusClient
import BusService
import EventLoop
import Logging
import Persistence
import ServiceTesting
import StoreModels
import StorebusTesting

@testable import PromotionController

/// A store small enough for a test: a promotion controller with a real database on a bus inside the process, beside a
/// payment queue that does what the test says.
final class PromotionTestStore: Sendable {
    static let bundleId = "com.example.app"

    typealias Controller = ServiceLife<PromotionControllerService, DecisionCheckpoint>

    let bus = InMemoryBus(seed: 1)
    let caller: ServiceCaller
    let payments: Payments
    /// The wall clock, in milliseconds; tests move it.
    let wall: Locked<Int64>
    private let files: TestDatabase
    private let logger: Logger
    private let controllers = ServiceLives<PromotionControllerService, DecisionCheckpoint>()
    private let queue = Locked<RunningService?>(nil)

    /// Stores that run at the same time.
    private static let turns = Turns(12)

    private init(_ engine: Engine) throws {
        files = try TestDatabase(engine, isHandedOn: true)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.logger = logger
        caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        let wall = Locked<Int64>(1_795_000_000_000)
        self.wall = wall
        payments = Payments { Timestamp(milliseconds: wall.withLock { $0 }) }
    }

    /// Runs `body` in a store of its own and takes it down again.
    static func with(
        _ engine: Engine = .sqlite, withPayments: Bool = true,
        _ body: (PromotionTestStore) async throws -> Void
    ) async throws {
        try await turns.take {
            let store = try PromotionTestStore(engine)
            do {
                if withPayments { try await store.startPayments() }
                try await store.startController()
                try await body(store)
            } catch {
                await store.tearDown()
                throw error
            }
            await store.tearDown()
        }
    }

    var now: Timestamp { Timestamp(milliseconds: wall.withLock { $0 }) }
    func wait(_ time: Duration) { wall.withLock { $0 = (Timestamp(milliseconds: $0) + time).milliseconds } }

    var current: Controller { controllers.current }
    var database: any SQLDatabase { current.database }

    /// What the next sweep does, with everything due that was tried before.
    @discardableResult
    func sweep() async throws -> Int { try await current.service.intents.sweep(now: .now + .seconds(60)) }

    func startController() async throws { controllers.begin(try await makeController()) }

    func stopController() async { await controllers.stop() }

    /// A new process on the same database; it has not swept yet.
    func restartController() async throws {
        await stopController()
        try await startController()
    }

    /// Another promotion controller on the same database, as one more process would be; PostgreSQL only.
    @discardableResult
    func startReplica() async throws -> Controller {
        let started = try await makeController()
        controllers.add(replica: started)
        return started
    }

    func startPayments() async throws {
        let running = await RunningService.start(.paymentQueue, on: bus) { [payments] service in
            service.handle(PaymentEndpoints.addPayment) { request, _ in try payments.add(request) }
            service.handle(SubscriptionEndpoints.getClock) { request, _ in payments.clock(request) }
        }
        queue.withLock { $0 = running }
    }

    func stopPayments() async {
        let stopped = queue.withLock { queue in
            defer { queue = nil }
            return queue
        }
        await stopped?.stop()
    }

    private func makeController() async throws -> Controller {
        let database = try await files.open(migrations: PromotionControllerService.migrations)
        let crash = CrashPlan<DecisionCheckpoint>()
        let services = ServiceCaller(
            bus: bus.client(name: "promotion-controller"), caller: "promotion-controller")
        let service = PromotionControllerService(
            database: database, collaborators: .onBus(services),
            wall: { [wall] in Timestamp(milliseconds: wall.withLock { $0 }) },
            // On a busy machine a payment queue that is there must not be taken for one that is away.
            askTime: .seconds(30), logger: logger, checkpoint: { try crash.reach($0) })
        let running = await RunningService.start(.promotionController, on: bus) { service.register(on: $0) }
        return Controller(service, database, crash, running)
    }

    private func tearDown() async {
        await controllers.stopAll()
        await stopPayments()
    }
}

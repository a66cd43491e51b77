import BusClient
import BusService
import EventLoop
import Logging
import Persistence
import StoreModels
import StorebusTesting

@testable import PromotionController

/// A store small enough for a test: a promotion controller with a real database on a bus inside the process, beside a
/// payment queue that does what the test says.
final class TestStore: Sendable {
    static let bundleId = "com.example.app"

    /// One life of the promotion controller.
    final class Controller: Sendable {
        let database: any SQLDatabase
        let service: PromotionControllerService
        let crash: CrashPlan
        private let run: Task<Void, any Error>

        init(
            _ database: any SQLDatabase, _ service: PromotionControllerService, _ crash: CrashPlan,
            _ run: Task<Void, any Error>
        ) {
            (self.database, self.service, self.crash, self.run) = (database, service, crash, run)
        }

        func stop() async {
            run.cancel()
            _ = await run.result
            await database.close()
        }
    }

    let bus = InMemoryBus(seed: 1)
    let caller: ServiceCaller
    let payments: Payments
    /// The wall clock, in milliseconds; tests move it.
    let wall: Locked<Int64>
    private let files: TestDatabase
    private let logger: Logger
    private let controller = Locked<Controller?>(nil)
    private let replicas = Locked<[Controller]>([])
    private let queue = Locked<Task<Void, any Error>?>(nil)

    /// Stores that run at the same time.
    private static let turns = Turns(12)

    private init(_ engine: Engine) throws {
        files = try TestDatabase(engine)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        self.logger = logger
        caller = ServiceCaller(bus: bus.client(name: "test"), caller: "test")
        let wall = Locked<Int64>(1_795_000_000_000)
        self.wall = wall
        payments = Payments { Timestamp(milliseconds: wall.withLock { $0 }) }
    }

    /// Runs `body` in a store of its own and takes it down again.
    /// - Parameter prepare: fills the database before the service starts.
    static func with(
        _ engine: Engine = .sqlite, withPayments: Bool = true, prepare: (TestDatabase) async throws -> Void = { _ in },
        _ body: (TestStore) async throws -> Void
    ) async throws {
        try await turns.take {
            let store = try TestStore(engine)
            do {
                try await prepare(store.files)
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

    var current: Controller {
        guard let controller = controller.withLock({ $0 }) else { preconditionFailure("the controller is down") }
        return controller
    }
    var database: any SQLDatabase { current.database }

    /// What the janitor does at its next turn, with everything due that was tried before.
    @discardableResult
    func sweep() async throws -> Int { try await current.service.janitor.sweep(now: .now + .seconds(60)) }

    func startController() async throws {
        let started = try await makeController()
        controller.withLock { $0 = started }
    }

    func stopController() async {
        let stopped = controller.withLock { controller in
            defer { controller = nil }
            return controller
        }
        await stopped?.stop()
    }

    /// A new process on the same database; it has not swept yet.
    func restartController() async throws {
        await stopController()
        try await startController()
    }

    /// Another promotion controller on the same database, as one more process would be; PostgreSQL only.
    @discardableResult
    func startReplica() async throws -> Controller {
        let started = try await makeController()
        replicas.withLock { $0.append(started) }
        return started
    }

    func startPayments() async throws {
        let run = try await start(.paymentQueue) { [payments] service in
            service.handle(PaymentEndpoints.addPayment) { request, _ in try payments.add(request) }
            service.handle(SubscriptionEndpoints.getClock) { request, _ in payments.clock(request) }
        }
        queue.withLock { $0 = run }
    }

    func stopPayments() async {
        let stopped = queue.withLock { queue in
            defer { queue = nil }
            return queue
        }
        stopped?.cancel()
        _ = await stopped?.result
    }

    private func makeController() async throws -> Controller {
        let database = try await files.open(migrations: PromotionControllerService.migrations)
        let crash = CrashPlan()
        let services = ServiceCaller(
            bus: bus.client(name: "promotion-controller"), caller: "promotion-controller")
        let service = PromotionControllerService(
            database: database, collaborators: .onBus(services), wall: { [self] in now },
            // On a busy machine a payment queue that is there must not be taken for one that is away.
            askTime: .seconds(30), logger: logger, checkpoint: { try crash.reach($0) })
        let run = try await start(.promotionController) { service.register(on: $0) }
        return Controller(database, service, crash, run)
    }

    private func start(_ name: ServiceName, _ register: (BusService) -> Void) async throws -> Task<Void, any Error> {
        let service = BusService(name: name, version: "test", bus: bus.client(name: name.rawValue), logger: logger)
        register(service)
        // Not a child of the test: it is stopped by hand, as a process is.
        let run = Task { try await service.run() }
        await service.ready()
        return run
    }

    private func tearDown() async {
        await stopController()
        for replica in replicas.withLock({ $0 }) { await replica.stop() }
        await stopPayments()
    }
}

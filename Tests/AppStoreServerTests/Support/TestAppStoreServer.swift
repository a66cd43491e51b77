import BusClient
import BusService
import EventLoop
import Logging
import Persistence
import StoreModels
import StorebusTesting
import Testing

@testable import AppStoreServer

/// An AppStoreServer with a real database, between a payment queue and an app's server that do what the
/// test says.
final class TestAppStoreServer: Sendable {
    static let bundleId = "com.example.app"

    /// What the other services and the app's server do.
    struct World: Sendable {
        var events: [ServerEvent] = []
        var acknowledged: [String] = []
        var now = Timestamp("2027-03-01T10:00:00.000Z")!
        var since: Timestamp?
        var nextEvent: Timestamp?
        var wall = Timestamp(milliseconds: 1_800_000_000_000)
        var areKeysAway = false
        var isQueueAway = false
        /// How large signed payloads are at least.
        var payloadBytes = 0
        /// What the queue's log says of a position, until it is asked without one.
        var fault: PositionFault?
        /// How often each notification was signed.
        var signed: [ExactText: Int] = [:]
        /// The outcomes of the next attempts, then success.
        var outcomes: [AttemptOutcome] = []
        /// The payloads that came, in order.
        var received: [String] = []
        /// The attempts under way, and the most there were.
        var underWay = 0
        var mostUnderWay = 0
        /// Customers with an attempt under way, by payload.
        var busy: [String] = []
        var overlaps = 0

        func clock(of bundleId: String) -> AppClockState {
            AppClockState(
                bundleId: bundleId, now: now, rate: .realTime, frozen: true, epoch: 1, nextEvent: nextEvent,
                since: since)
        }
    }

    let world = Locked(World())
    private let files: TestDatabase
    private let lives = Locked<[AppStoreServerService]>([])
    /// Called within each attempt, before its outcome.
    let during = Locked<(@Sendable (String) async -> Void)?>(nil)
    let margin: Duration
    /// The handlers that hear hints.
    private let hearers = Locked<[@Sendable () -> Void]>([])

    /// Each has connections to PostgreSQL, which takes a bounded number of them.
    private static let turns = Turns(12)

    private init(_ engine: Engine, margin: Duration) throws {
        files = try TestDatabase(engine, isHandedOn: true)
        self.margin = margin
    }

    static func with(
        _ engine: Engine = .sqlite, margin: Duration = .seconds(10),
        _ body: (TestAppStoreServer) async throws -> Void
    ) async throws {
        try await turns.take { try await run(engine, margin: margin, body) }
    }

    private static func run(
        _ engine: Engine, margin: Duration, _ body: (TestAppStoreServer) async throws -> Void
    ) async throws {
        let appStore = try TestAppStoreServer(engine, margin: margin)
        do {
            try await appStore.start()
            try await body(appStore)
        } catch {
            try await appStore.stop()
            throw error
        }
        try await appStore.stop()
    }

    // MARK: Lives

    var service: AppStoreServerService { lives.withLock { $0[$0.count - 1] } }

    /// Starts a process on the database, another replica if one runs.
    @discardableResult
    func start() async throws -> AppStoreServerService {
        let service = AppStoreServerService(
            database: try await files.open(migrations: AppStoreServerSchema.migrations), collaborators: collaborators,
            post: { [self] in await receive($0.payload) }, sign: sign, wall: { [world] in world.withLock(\.wall) },
            margin: margin, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        lives.withLock { $0.append(service) }
        return service
    }

    /// Ends all processes.
    func stop() async throws {
        let open = lives.withLock { lives in
            defer { lives = [] }
            return lives
        }
        for service in open { await service.close() }
    }

    func restart() async throws {
        try await stop()
        try await start()
    }

    /// Writes payloads that tests can read, in place of signed ones.
    private var sign: NotificationSigner.Sign {
        { [world] drafts, _ in
            guard !world.withLock(\.areKeysAway) else {
                throw StoreError(.serviceUnavailable, "the database with the keys is away")
            }
            return world.withLock { world in
                drafts.map { draft in
                    world.signed[draft.notificationUUID, default: 0] += 1
                    let subtype = draft.subtype.map { ".\($0.rawValue)" } ?? ""
                    let customer = draft.appTransactionIdentifier ?? "-"
                    let payload =
                        "\(draft.notificationType.rawValue)\(subtype) \(customer) "
                        + "\(draft.signedDate) \(draft.notificationUUID)"
                    return payload + String(repeating: ".", count: max(0, world.payloadBytes - payload.count))
                }
            }
        }
    }

    private var collaborators: AppStoreCollaborators {
        AppStoreCollaborators(
            events: { [shared = world] request, _ throws(StoreError) in
                let world = shared.withLock { $0 }
                guard !world.isQueueAway else { throw StoreError(.serviceUnavailable, "payment-queue is away") }
                if let fault = world.fault {
                    guard request.after == nil else { throw .position(fault) }
                    shared.withLock { $0.fault = nil }
                }
                let left = world.events.filter { event in request.after.map { event.position > $0 } ?? true }
                let page = Array(left.prefix(3))
                return ServerEventsPage(
                    events: page, after: page.last?.position ?? request.after, hasMore: left.count > page.count,
                    clock: request.clockOf.map(world.clock))
            },
            acknowledge: { [world] request, _ in
                world.withLock { $0.acknowledged.append(request.through) }
                return Empty()
            },
            clock: { [world] request, _ in world.withLock { $0.clock(of: request.bundleId) } },
            services: ServiceCaller(bus: InMemoryBus().client(name: "app-store-server"), caller: "app-store-server"),
            hints: { [hearers] handler in
                hearers.withLock { $0.append(handler) }
                while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
            })
    }

    /// Hints that there are events.
    /// - Returns: How many processes hear it.
    @discardableResult
    func hint() -> Int {
        let hearers = hearers.withLock { $0 }
        for hearer in hearers { hearer() }
        return hearers.count
    }

    private func receive(_ payload: String) async -> AttemptOutcome {
        let customer = String(payload.split(separator: " ")[1])
        world.withLock { world in
            world.received.append(payload)
            world.underWay += 1
            world.mostUnderWay = max(world.mostUnderWay, world.underWay)
            if customer != "-", world.busy.contains(customer) { world.overlaps += 1 }
            world.busy.append(customer)
        }
        await during.withLock { $0 }?(payload)
        await Task.yield()
        return world.withLock { world in
            world.underWay -= 1
            world.busy.remove(at: world.busy.firstIndex(of: customer)!)
            return world.outcomes.isEmpty ? AttemptOutcome(.success, httpStatus: 200) : world.outcomes.removeFirst()
        }
    }

    // MARK: What a test does

    func put(
        _ retry: NotificationEndpoint.Retry = .apple, of app: String = bundleId, url: String = "http://localhost:9/",
        _ change: (inout NotificationEndpoint) -> Void = { _ in }
    ) async throws {
        var endpoint = NotificationEndpoint(url: url, retry: retry)
        change(&endpoint)
        _ = try await service.endpoints.put(PutNotificationEndpointRequest(bundleId: app, endpoint: endpoint))
    }

    /// Lets the clock jump.
    func jump(to text: String) {
        world.withLock { world in
            world.now = Timestamp(text)!
            world.since = world.now
        }
    }

    /// Makes rounds until nothing is due.
    @discardableResult
    func settle() async throws -> Int {
        var total = 0
        while true {
            let made = try await service.deliveries.round(Self.bundleId)
            guard made > 0 else { return total }
            total += made
        }
    }

    func list(_ change: (inout NotificationsRequest) -> Void = { _ in }) async throws -> [ServerNotification] {
        var request = NotificationsRequest(bundleId: Self.bundleId)
        change(&request)
        return try await service.notifications.list(request).notifications.reversed()
    }

    /// `ONE_TIME_CHARGE 1`, an attempt a line: type and customer.
    var received: [String] {
        world.withLock { $0.received.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } }
    }

    /// Adds an event of a customer with one-time purchases.
    /// - Parameter kinds: Of subscriptions if the first one is.
    func happens(
        _ kinds: ServerEvent.Kind..., of app: String = bundleId, to customer: Int = 1, at text: String? = nil
    ) {
        world.withLock { world in
            let at = text.flatMap(Timestamp.init) ?? world.now
            let number = world.events.count + 1
            world.events.append(
                ServerEvent(
                    position: "v_\(String(number + 100_000).dropFirst())", bundleId: app,
                    customerIdentifier: "c_\(customer)", account: "account\(customer)",
                    appTransactionIdentifier: "\(customer)", at: at,
                    changes: kinds.map { .init(kind: $0, transaction: Self.transaction(number, at: at)) }))
        }
    }

    /// Adds the end of an extension of all subscriptions of a product.
    func ends(_ requestIdentifier: String) {
        world.withLock { world in
            let number = world.events.count + 1
            var event = ServerEvent(
                position: "v_\(String(number + 100_000).dropFirst())", bundleId: Self.bundleId, customerIdentifier: nil,
                account: nil, appTransactionIdentifier: nil, at: world.now, changes: [])
            event.extensions = SubscriptionExtensions(
                requestIdentifier: requestIdentifier, productIdentifier: "pro", storefronts: nil, succeededCount: 1,
                failedCount: 0, completedAt: world.now)
            world.events.append(event)
        }
    }

    static func transaction(_ number: Int, at: Timestamp) -> ServerTransaction {
        ServerTransaction(
            item: ReceiptItem(
                transactionIdentifier: "\(2_000_000_000_000_000 + number)",
                originalTransactionIdentifier: "\(2_000_000_000_000_000 + number)", productIdentifier: "coins",
                type: .consumable, quantity: 1, purchaseDate: at, originalPurchaseDate: at),
            price: Money(minorUnits: 99, currency: Currency(code: "USD")!), storefront: "USA", reason: .purchase,
            modifiedSeq: Int64(number))
    }
}

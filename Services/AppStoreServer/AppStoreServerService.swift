import BusClient
import BusService
import EventLoop
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import Signing
import StoreModels

/// Registers AppStoreServer's endpoints on the bus and makes its deliveries.
///
/// ```swift
/// let appStore = try await AppStoreServerService.open(environment)
/// appStore.register(on: environment.service)
/// try await appStore.run()                 // deliveries, until graceful shutdown
/// ```
package final class AppStoreServerService: ServiceLifecycle.Service {
    let database: any SQLDatabase
    let keys: KeyStore
    let apple: AppleServer
    let endpoints: EndpointService
    let deliveries: DeliveryService
    let leases: LeaseService
    let notifications: NotificationService
    let alarm: ReaderAlarm
    private let sender: HTTPSender?

    /// Creates a service that calls the other services through functions.
    /// - Parameters:
    ///   - sender: Posts attempts' payloads over HTTP. It is closed with the service.
    ///   - post: Posts them otherwise.
    ///   - environment: The receipt environment.
    ///   - sign: Signs notifications in place of the store's keys. Nil for these.
    ///   - wall: The wall clock, for attempts that are repeated by real time.
    ///   - margin: How much longer than the endpoint's timeout a claim lasts.
    init(
        database: any SQLDatabase, collaborators: AppStoreCollaborators,
        targets: TargetPolicy = TargetPolicy(reach: .any),
        sender: HTTPSender? = nil, post: @escaping DeliveryService.Post,
        environment: ReceiptEnvironment = .sandbox, sign: NotificationSigner.Sign? = nil,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        margin: Duration = DeliveryService.margin, logger: Logger
    ) {
        self.database = database
        self.sender = sender
        keys = KeyStore(database: database, now: wall, logger: logger)
        let services = collaborators.services
        let serverApps = ServerApps(database: database, logger: logger)
        let signing = SigningKeys(database: database, logger: logger)
        let storefronts = StorefrontDirectory(services: services, from: CatalogEndpoints.listStorefronts)
        let signer = NotificationSigner(
            database: database, signing: signing, serverApps: serverApps, storefronts: storefronts, services: services,
            replacement: sign)
        alarm = ReaderAlarm(logger: logger)
        let deliveries = DeliveryService(
            database: database, collaborators: collaborators,
            importer: EventImporter(database: database, collaborators: collaborators, alarm: alarm), signer: signer,
            post: post, wall: wall, margin: margin, logger: logger)
        self.deliveries = deliveries
        endpoints = EndpointService(database: database, targets: targets, deliveries: deliveries)
        leases = LeaseService(database: database, deliveries: deliveries)
        notifications = NotificationService(
            database: database, collaborators: collaborators, signer: signer, deliveries: deliveries)
        apple = AppleServer(
            services: services, keys: keys, serverApps: serverApps,
            serverAPIFaults: ServerAPIFaults(database: database, logger: logger), signing: signing,
            storefronts: storefronts,
            notifications: NotificationCalls(
                get: notifications.get, history: notifications.history, test: notifications.test,
                trigger: notifications.trigger, endpoint: endpoints.get, putEndpoint: endpoints.put),
            environment: environment)
    }

    /// Registers every endpoint and the health checks. Call it before the bus service runs.
    package func register(on service: BusService) {
        let handlers = DatabaseEndpoints(of: AppStoreServerSchema.owner, on: service)
        keys.register(on: handlers)
        apple.register(on: handlers)
        HTTPHandlers(apple, instance: service.identity.id).register(on: service)
        handlers.handle(NotificationEndpoints.getEndpoint, endpoints.get)
        handlers.handle(NotificationEndpoints.deleteEndpoint, endpoints.delete)
        handlers.handle(NotificationEndpoints.list, notifications.list)
        handlers.handle(NotificationEndpoints.get, notifications.get)
        handlers.handle(NotificationEndpoints.resend, notifications.resend)
        handlers.handle(NotificationEndpoints.lease, leases.lease)
        handlers.handle(NotificationEndpoints.report, leases.report)
        handlers.handle(NotificationEndpoints.settled, notifications.settled)
        handlers.handle(
            NotificationEndpoints.copyApp, AppStoreDataCopy(database: database, clock: deliveries.clock(of:)).copy)
        handlers.handle(NotificationEndpoints.removeApp, AppStoreDataRemoval(database: database).remove)
        service.healthCheck(of: database)
        service.healthCheck("events") { [alarm] in alarm.health }
    }

    /// Makes deliveries until graceful shutdown, then closes connections and database.
    ///
    /// In a service group it precedes the bus service, so that it ends after the last request.
    package func run() async throws {
        await BackgroundJob.run([BackgroundJob { await self.deliveries.run() }])
        await close()
    }

    /// Closes connections and database.
    func close() async {
        await sender?.shutdown()
        await database.close()
    }
}

extension AppStoreServerService {
    /// Opens and migrates the process's database and creates the service.
    /// - Throws: A `StartupError` that names the place, its fault and the remedy.
    package static func open(_ environment: ServiceEnvironment) async throws(StartupError) -> AppStoreServerService {
        let targets = TargetPolicy(
            reach: try environment.configuration.choice("storebus.notifications", default: TargetPolicy.Reach.any))
        let receipts = try environment.configuration.choice(
            "storebus.environment", default: ReceiptEnvironment.sandbox)
        let database = try await environment.openDatabase(AppStoreServerSchema.migrations)
        let sender: HTTPSender
        do throws(UVError) {
            sender = try HTTPSender(targets: targets)
        } catch {
            await database.close()
            throw StartupError(.temporary, "\(error)")
        }
        let store = AppStoreServerService(
            database: database, collaborators: .onBus(environment.bus), targets: targets, sender: sender,
            post: { [spans = environment.service.spans] attempt in
                let span = spans.begin("deliver \(attempt.notification.type.rawValue)", .client, TraceContext())
                let outcome = await sender.post(attempt)
                span?.note("storebus.notification", attempt.notification.uuid)
                span?.end(error: outcome.result == .success ? nil : outcome.result.rawValue)
                return outcome
            }, environment: receipts, logger: environment.logger)
        try await store.apple.signing.publishRoot(in: environment.dataDirectory)
        return store
    }
}

/// The functions of other services that AppStoreServer calls.
///
/// Deadlines are instants of the monotonic clock. A function without a reply by then throws.
struct AppStoreCollaborators: Sendable {
    /// Lists PaymentQueue's server events, with an app's clock.
    var events: @Sendable (ServerEventsRequest, ContinuousClock.Instant) async throws(StoreError) -> ServerEventsPage
    /// Allows PaymentQueue to remove server events.
    var acknowledge:
        @Sendable (AcknowledgeServerEventsRequest, ContinuousClock.Instant) async throws(StoreError) -> Empty
    /// Reads an app's business clock.
    var clock: @Sendable (AppRequest, ContinuousClock.Instant) async throws(StoreError) -> AppClockState
    /// Calls services for clients' requests, and retries safe ones.
    var services: ServiceCaller
    /// Calls a function at each hint of new events, until the task is cancelled.
    var hints: @Sendable (_ handler: @escaping @Sendable () -> Void) async -> Void = { _ in }

    /// Calls the services over the bus without retries, because the next round retries.
    static func onBus(_ bus: any BusClient) -> AppStoreCollaborators {
        let caller = ServiceCaller(bus: bus, caller: ServiceName.appStoreServer.rawValue)
        return AppStoreCollaborators(
            events: caller.function(ServerAPIEndpoints.listEvents),
            acknowledge: caller.function(ServerAPIEndpoints.acknowledgeEvents),
            clock: caller.function(SubscriptionEndpoints.getClock),
            services: ServiceCaller(bus: bus, caller: ServiceName.appStoreServer.rawValue, retries: true),
            hints: { handler in
                let subscription = try? await bus.subscribe(ServerEventHints.subject) { _ in handler() }
                // Hints that were sent while the bus was away are lost.
                for await state in bus.states where state == .connected { handler() }
                await subscription?.unsubscribe()
            })
    }
}

import BusClient
import BusService
import EventLoop
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Registers the notifier's endpoints on the bus and makes its deliveries.
///
/// ```swift
/// let notifier = try await NotifierService.open(environment)
/// notifier.register(on: environment.service)
/// try await notifier.run()                 // deliveries, until graceful shutdown
/// ```
package final class NotifierService: ServiceLifecycle.Service {
    let database: any SQLDatabase
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
    ///   - wall: The wall clock, for attempts that are repeated by real time.
    ///   - margin: How much longer than the endpoint's timeout a claim lasts.
    init(
        database: any SQLDatabase, collaborators: Collaborators, targets: TargetPolicy = TargetPolicy(reach: .any),
        sender: HTTPSender? = nil, post: @escaping DeliveryService.Post,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        margin: Duration = DeliveryService.margin, logger: Logger
    ) {
        self.database = database
        self.sender = sender
        let signer = NotificationSigner(database: database, sign: collaborators.sign)
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
    }

    /// Registers every endpoint and the health checks. Call it before the bus service runs.
    package func register(on service: BusService) {
        let handlers = DatabaseEndpoints(of: "the notifier", on: service)
        handlers.handle(NotifierEndpoints.getEndpoint, endpoints.get)
        handlers.handle(NotifierEndpoints.putEndpoint, endpoints.put)
        handlers.handle(NotifierEndpoints.deleteEndpoint, endpoints.delete)
        handlers.handle(NotifierEndpoints.list, notifications.list)
        handlers.handle(NotifierEndpoints.get, notifications.get)
        handlers.handle(NotifierEndpoints.history, notifications.history)
        handlers.handle(NotifierEndpoints.test, notifications.test)
        handlers.handle(NotifierEndpoints.resend, notifications.resend)
        handlers.handle(NotifierEndpoints.trigger, notifications.trigger)
        handlers.handle(NotifierEndpoints.lease, leases.lease)
        handlers.handle(NotifierEndpoints.report, leases.report)
        handlers.handle(NotifierEndpoints.settled, notifications.settled)
        handlers.handle(NotifierEndpoints.removeApp, AppRemoval(database: database).remove)
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

extension NotifierService {
    /// Opens and migrates the process's database and creates the service.
    /// - Throws: A `StartupError` that names the place, its fault and the remedy.
    package static func open(_ environment: ServiceEnvironment) async throws(StartupError) -> NotifierService {
        let targets = TargetPolicy(
            reach: try environment.configuration.choice("storebus.notifications", default: TargetPolicy.Reach.any))
        let database = try await environment.openDatabase(NotifierSchema.migrations)
        let sender: HTTPSender
        do throws(UVError) {
            sender = try HTTPSender(targets: targets)
        } catch {
            await database.close()
            throw StartupError(.temporary, "\(error)")
        }
        return NotifierService(
            database: database, collaborators: .onBus(environment.bus), targets: targets, sender: sender,
            post: { attempt in
                await sender.post(
                    attempt.payload, to: attempt.endpoint.url, of: attempt.notification.bundleId,
                    timeout: .milliseconds(attempt.endpoint.timeoutMs))
            }, logger: environment.logger)
    }
}

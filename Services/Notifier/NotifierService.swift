import BusClient
import BusService
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
    private let sender: HTTPSender

    /// Creates a service that calls the other services through functions.
    /// - Parameters:
    ///   - post: Posts a payload; nil for HTTP.
    ///   - wall: The wall clock, for attempts that are repeated by real time.
    ///   - margin: How much longer than the endpoint's timeout a claim lasts.
    init(
        database: any SQLDatabase, collaborators: Collaborators, targets: TargetPolicy = TargetPolicy(reach: .any),
        post: DeliveryService.Post? = nil, wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock,
        margin: Duration = DeliveryService.margin, logger: Logger
    ) {
        self.database = database
        let sender = HTTPSender(targets: targets)
        self.sender = sender
        let signer = NotificationSigner(database: database, sign: collaborators.sign)
        let deliveries = DeliveryService(
            database: database, collaborators: collaborators,
            importer: EventImporter(database: database, collaborators: collaborators, logger: logger), signer: signer,
            post: post ?? { payload, url, timeout in await sender.post(payload, to: url, timeout: timeout) },
            wall: wall, margin: margin, logger: logger)
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
    }

    /// Makes deliveries until graceful shutdown, then closes connections and database.
    ///
    /// In a service group it precedes the bus service, so that it ends after the last request.
    package func run() async throws {
        await BackgroundJob.run([BackgroundJob { await self.deliveries.run() }])
        try await close()
    }

    /// Closes connections and database.
    func close() async throws {
        try await sender.shutdown()
        await database.close()
    }
}

extension NotifierService {
    /// Opens and migrates the process's database and creates the service.
    /// - Throws: A `StartupError` that names the place, what is wrong with it and the remedy.
    package static func open(_ environment: ServiceEnvironment) async throws(StartupError) -> NotifierService {
        let reach = try environment.configuration.choice("storebus.notifications", default: TargetPolicy.Reach.any)
        return NotifierService(
            database: try await environment.openDatabase(NotifierSchema.migrations),
            collaborators: .onBus(environment.bus), targets: TargetPolicy(reach: reach), logger: environment.logger)
    }
}

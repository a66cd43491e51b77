import BusService
import Logging
import Operations
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Registers the promotion controller's endpoints on the bus and runs its background jobs.
///
/// It handles devices, overrides and purchases that begin in the store.
///
/// ```swift
/// let promotions = PromotionControllerService(database: database, services: caller, logger: logger)
/// promotions.register(on: service)
/// try await promotions.run()               // sweeps and pruning, until graceful shutdown
/// ```
package final class PromotionControllerService: ServiceLifecycle.Service {
    /// The migrations of its database.
    package static var migrations: [Migration] { PromotionSchema.migrations }

    private let database: any SQLDatabase
    private let logger: Logger
    let devices: DeviceService
    let overrides: OverrideService
    let purchases: StorePurchaseService
    let intents: IntentService
    let prompts: AppPromptService
    let events: IntentEventService

    /// Creates a service that calls PaymentQueue over the bus.
    /// - Parameter wall: The wall clock, for when a device was seen and for the app's time to answer. Intents expire by
    ///   the app's business clock, which PaymentQueue keeps.
    package convenience init(
        database: any SQLDatabase, services: ServiceCaller,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock, logger: Logger
    ) {
        self.init(
            database: database, collaborators: .onBus(services), wall: wall, logger: logger, checkpoint: { _ in })
    }

    /// Creates a service that calls PaymentQueue through functions.
    /// - Parameters:
    ///   - askTime: Timeout of a request for a clock.
    ///   - checkpoint: Stops a decision half-way in tests, and does nothing in production.
    init(
        database: any SQLDatabase, collaborators: PromotionCollaborators, wall: @escaping @Sendable () -> Timestamp,
        askTime: Duration = AppTimes.askTime, logger: Logger, checkpoint: @escaping DecisionCheckpointHook
    ) {
        let times = AppTimes(
            database: database, wall: wall, askTime: askTime, logger: logger, fetch: collaborators.clock)
        self.database = database
        self.logger = logger
        devices = DeviceService(database: database, times: times)
        overrides = OverrideService(database: database)
        purchases = StorePurchaseService(
            database: database, times: times, checkpoint: checkpoint, publish: collaborators.publish)
        intents = IntentService(
            database: database, times: times, collaborators: collaborators, checkpoint: checkpoint, logger: logger)
        prompts = AppPromptService(database: database, times: times)
        events = IntentEventService(database: database)
    }

    /// Registers handlers for `sb.promotion.v1.…`. Call it before `service` runs.
    package func register(on service: BusService) {
        let endpoints = DatabaseEndpoints(of: "the promotion controller", on: service)
        registerDevices(on: endpoints)
        registerOverrides(on: endpoints)
        registerPurchases(on: endpoints)
        registerIntents(on: endpoints)
        registerDecisions(on: endpoints)
        service.healthCheck(of: database)
    }

    private func registerDevices(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PromotionEndpoints.deviceLaunched, devices.launched)
        endpoints.handle(PromotionEndpoints.putDevice, devices.put)
        endpoints.handle(PromotionEndpoints.getDevice, devices.get)
        endpoints.handle(PromotionEndpoints.listDevices, devices.list)
        endpoints.handle(PromotionEndpoints.deleteDevice, devices.delete)
        endpoints.handle(PromotionEndpoints.putInstallation, devices.putInstallation)
        endpoints.handle(PromotionEndpoints.deleteInstallation, devices.deleteInstallation)
        endpoints.handle(PromotionEndpoints.copyApp, PromotionDataCopy(database: database).copy)
        endpoints.handle(PromotionEndpoints.removeApp) { [database, times = devices.times] request in
            let reply = try await PromotionDataRemoval(database: database).remove(request)
            times.forget(request.bundleId)
            return reply
        }
    }

    private func registerOverrides(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PromotionEndpoints.getManyOverrides, overrides.getMany)
        endpoints.handle(PromotionEndpoints.putOrder, overrides.putOrder)
        endpoints.handle(PromotionEndpoints.putVisibility, overrides.putVisibility)
    }

    private func registerPurchases(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PromotionEndpoints.startPurchase, purchases.start)
        endpoints.handle(PromotionEndpoints.listPrompts, prompts.list)
        endpoints.handle(PromotionEndpoints.answerPrompt, prompts.answer)
        endpoints.handle(PromotionEndpoints.listEvents, events.list)
    }

    private func registerIntents(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PromotionEndpoints.deliverIntents, intents.deliver)
        endpoints.handle(PromotionEndpoints.intentHeads, intents.heads)
        endpoints.handle(PromotionEndpoints.getIntent, intents.get)
        endpoints.handle(PromotionEndpoints.listIntents, intents.list)
        endpoints.handle(PromotionEndpoints.searchIntents, intents.search)
    }

    private func registerDecisions(on endpoints: DatabaseEndpoints) {
        endpoints.handle(PromotionEndpoints.clearIntents, intents.clear)
        endpoints.handle(PromotionEndpoints.decideIntent, intents.decide)
        endpoints.handle(PromotionEndpoints.addIntentPayment, intents.add)
    }

    /// Runs the background jobs until graceful shutdown, then closes the database.
    ///
    /// In a service group it precedes the bus service, so that it ends after the last request.
    package func run() async throws {
        await BackgroundJob.run([
            .repeating("intent sweep", every: IntentService.sweepInterval, database.commits, logger) {
                try await self.intents.round()
            },
            .repeating("intent pruner", every: IntentService.pruneInterval, database.commits, logger) {
                try await self.intents.prune()
                return .interval
            },
        ])
        await database.close()
    }
}

extension PromotionControllerService {
    /// Opens the service's database and migrates its schema.
    /// - Throws: A `StartupError` that names the place, the problem and the remedy.
    package static func openDatabase(_ environment: ServiceEnvironment) async throws(StartupError) -> any SQLDatabase {
        try await environment.openDatabase(migrations)
    }
}

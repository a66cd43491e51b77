import BusService
import Logging
import Persistence
import ServiceDatabase
import ServiceLifecycle
import StoreModels

/// Devices, overrides and purchases that begin in the store as a service: its endpoints on the bus, and the jobs that run
/// beside them.
///
/// ```swift
/// let promotions = PromotionControllerService(database: database, services: caller, logger: logger)
/// promotions.register(on: service)
/// try await promotions.run()               // janitor and pruner, until graceful shutdown
/// ```
package final class PromotionControllerService: ServiceLifecycle.Service {
    /// The schema of its database.
    package static var migrations: [Migration] { PromotionSchema.migrations }

    private let database: any SQLDatabase
    private let logger: Logger
    let devices: DeviceDesk
    let overrides: OverrideDesk
    let purchases: PurchaseDesk
    let intents: IntentDesk
    let decisions: DecisionDesk
    let prompts: PromptDesk
    let events: EventReader
    let janitor: IntentJanitor
    let pruner: IntentPruner

    /// - Parameter wall: the wall clock: when a device was seen and by when an app has to answer. What expires does so
    ///   by the app's business clock, which PaymentQueue keeps.
    package convenience init(
        database: any SQLDatabase, services: ServiceCaller,
        wall: @escaping @Sendable () -> Timestamp = Timestamp.wallClock, logger: Logger
    ) {
        self.init(
            database: database, collaborators: .onBus(services), wall: wall, logger: logger, checkpoint: { _ in })
    }

    /// As above, with PaymentQueue as functions.
    /// - Parameters:
    ///   - askTime: how long PaymentQueue is waited for when a clock is asked for.
    ///   - checkpoint: for tests that stop a decision half-way; nothing in a store that sells.
    init(
        database: any SQLDatabase, collaborators: Collaborators, wall: @escaping @Sendable () -> Timestamp,
        askTime: Duration = AppTimes.askTime, logger: Logger, checkpoint: @escaping CheckpointHook
    ) {
        let times = AppTimes(
            database: database, wall: wall, askTime: askTime, logger: logger, fetch: collaborators.clock)
        let settler = IntentSettler(database: database, times: times)
        self.database = database
        self.logger = logger
        devices = DeviceDesk(database: database, times: times)
        overrides = OverrideDesk(database: database)
        purchases = PurchaseDesk(
            database: database, times: times, checkpoint: checkpoint, publish: collaborators.publish)
        intents = IntentDesk(database: database, times: times, settler: settler)
        decisions = DecisionDesk(
            database: database, times: times,
            adder: PaymentAdder(
                database: database, times: times, checkpoint: checkpoint, addPayment: collaborators.addPayment),
            checkpoint: checkpoint)
        prompts = PromptDesk(database: database, times: times)
        events = EventReader(database: database)
        janitor = IntentJanitor(settler: settler, decisions: decisions, logger: logger)
        pruner = IntentPruner(database: database, times: times, logger: logger)
    }

    /// Makes `service` answer `sb.promotion.v1.…`; before it runs.
    package func register(on service: BusService) {
        registerDevices(on: service)
        registerOverrides(on: service)
        registerPurchases(on: service)
        registerIntents(on: service)
        registerDecisions(on: service)
        service.healthCheck(of: database)
    }

    private func registerDevices(on service: BusService) {
        service.handle(PromotionEndpoints.deviceLaunched) { [devices] request, _ in
            try await answering { try await devices.launched(request) }
        }
        service.handle(PromotionEndpoints.putDevice) { [devices] request, _ in
            try await answering { try await devices.put(request) }
        }
        service.handle(PromotionEndpoints.getDevice) { [devices] request, _ in
            try await answering { try await devices.get(request) }
        }
        service.handle(PromotionEndpoints.listDevices) { [devices] request, _ in
            try await answering { try await devices.list(request) }
        }
        service.handle(PromotionEndpoints.deleteDevice) { [devices] request, _ in
            try await answering { try await devices.delete(request) }
        }
        service.handle(PromotionEndpoints.putInstallation) { [devices] request, _ in
            try await answering { try await devices.putInstallation(request) }
        }
        service.handle(PromotionEndpoints.deleteInstallation) { [devices] request, _ in
            try await answering { try await devices.deleteInstallation(request) }
        }
    }

    private func registerOverrides(on service: BusService) {
        service.handle(PromotionEndpoints.getOverrides) { [overrides] request, _ in
            try await answering { try await overrides.get(request) }
        }
        service.handle(PromotionEndpoints.putOrder) { [overrides] request, _ in
            try await answering { try await overrides.putOrder(request) }
        }
        service.handle(PromotionEndpoints.putVisibility) { [overrides] request, _ in
            try await answering { try await overrides.putVisibility(request) }
        }
    }

    private func registerPurchases(on service: BusService) {
        service.handle(PromotionEndpoints.startPurchase) { [purchases] request, context in
            try await answering { try await purchases.start(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.listPrompts) { [prompts] request, _ in
            try await answering { try await prompts.list(request) }
        }
        service.handle(PromotionEndpoints.answerPrompt) { [prompts] request, context in
            try await answering { try await prompts.answer(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.listEvents) { [events] request, _ in
            try await answering { try await events.list(request) }
        }
    }

    private func registerIntents(on service: BusService) {
        service.handle(PromotionEndpoints.deliverIntents) { [intents] request, context in
            try await answering { try await intents.deliver(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.intentHeads) { [intents] request, _ in
            try await answering { try await intents.heads(request) }
        }
        service.handle(PromotionEndpoints.getIntent) { [intents] request, context in
            try await answering { try await intents.get(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.listIntents) { [intents] request, context in
            try await answering { try await intents.list(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.searchIntents) { [intents] request, context in
            try await answering { try await intents.search(request, deadline: context.deadline) }
        }
    }

    private func registerDecisions(on service: BusService) {
        service.handle(PromotionEndpoints.decideIntent) { [decisions] request, context in
            try await answering { try await decisions.decide(request, deadline: context.deadline) }
        }
        service.handle(PromotionEndpoints.addIntentPayment) { [decisions] request, context in
            try await answering { try await decisions.add(request, deadline: context.deadline) }
        }
    }

    /// Does what is due until graceful shutdown, then closes the database. In a service group it stands before the bus
    /// service, so that it ends after the last request.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await self.repeating("janitor", every: IntentJanitor.interval) { try await self.janitor.sweep() }
                }
                group.addTask {
                    await self.repeating("pruner", every: IntentPruner.interval) { try await self.pruner.prune() }
                }
            }
        }
        await database.close()
    }

    /// Runs `work` at once and then again and again. A round that fails is told of and not the end: the next may work.
    private func repeating(
        _ name: String, every interval: Duration, _ work: @Sendable () async throws -> Int
    ) async {
        while !Task.isCancelled {
            do {
                _ = try await work()
            } catch is CancellationError {
                return
            } catch {
                logger.warning("\(name) failed, it will run again", metadata: ["error": "\(error)"])
            }
            try? await Task.sleep(for: interval)
        }
    }
}

import BusClient
import BusService
import StoreModels

/// The functions of other services that AppStoreServer calls.
///
/// Deadlines are instants of the monotonic clock. A function without a reply by then throws.
struct AppStoreCollaborators: Sendable {
    /// Lists PaymentQueue's server events.
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

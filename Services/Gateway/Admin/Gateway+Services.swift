import BusClient
import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    var serviceRoutes: [Route] {
        [Route(MonitoringRoutes.services) { [self] _ in try await whoIsThere() }]
    }

    /// Time for which responses are collected. The number of instances is unknown, so the whole time is always used.
    private static let discoveryTime = Duration.milliseconds(500)

    private func whoIsThere() async throws -> Response {
        guard bus.state == .connected else {
            return try Reply.json(ServicesAnswer(bus: "away", health: [], stats: []))
        }
        let discovery = ServiceDiscovery(bus)
        do {
            async let health = discovery.health(timeout: Self.discoveryTime)
            async let stats = discovery.stats(timeout: Self.discoveryTime)
            return try Reply.json(ServicesAnswer(bus: "connected", health: try await health, stats: try await stats))
        } catch let error as BusError {
            throw StoreError(error, service: "discovery")
        }
    }
}

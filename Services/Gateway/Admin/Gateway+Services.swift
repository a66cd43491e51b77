import BusClient
import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Time for which responses are collected. The number of instances is unknown, so the whole time is always used.
    private static let discoveryTime = Duration.milliseconds(500)

    func connectedServices() async throws -> ServicesResponse {
        guard bus.state == .connected else {
            return ServicesResponse(bus: "away", health: [], stats: [])
        }
        let discovery = ServiceDiscovery(bus)
        do {
            async let health = discovery.health(timeout: Self.discoveryTime)
            async let stats = discovery.stats(timeout: Self.discoveryTime)
            return ServicesResponse(bus: "connected", health: try await health, stats: try await stats)
        } catch let error as BusError {
            throw StoreError(error, service: "discovery")
        }
    }
}

extension ServicesResponse {
    /// Services that a complete store runs. Those without an instance are `missing`.
    private static let expected: [ServiceName] = [
        .catalog, .paymentQueue, .promotionController, .eligibility, .paymentProcessor, .appStoreServer,
    ]

    init(bus: String, health: [HealthResponse], stats: [StatsResponse]) {
        let statsByID = Dictionary(stats.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let answered = Set(health.map(\.id))
        var instances = health.map { Instance($0, statsByID[$0.id]) }
        instances += stats.filter { !answered.contains($0.id) }.map { Instance(withoutHealth: $0) }
        instances.sort { ($0.name, $0.id) < ($1.name, $1.id) }
        let present = Set(instances.map(\.name))
        self.init(
            bus: bus, services: instances,
            missing: Self.expected.map(\.rawValue).filter { !present.contains($0) })
    }
}

extension ServicesResponse.Instance {
    fileprivate init(_ health: HealthResponse, _ stats: StatsResponse?) {
        self.init(
            name: health.name, id: health.id, version: health.version, status: ServicesResponse.Health(health.status),
            checks: health.checks.mapValues { ServicesResponse.Check(status: .init($0.status), message: $0.message) },
            startedAt: stats?.started, inFlight: stats?.inFlight,
            endpoints: stats?.endpoints.map { ServicesResponse.Endpoint($0) } ?? [])
    }

    /// Creates an entry for an instance that sent statistics but no health in time.
    fileprivate init(withoutHealth stats: StatsResponse) {
        self.init(
            name: stats.name, id: stats.id, version: stats.version, status: .fail,
            checks: ["health": ServicesResponse.Check(status: .fail, message: "no answer in time")],
            startedAt: stats.started, inFlight: stats.inFlight,
            endpoints: stats.endpoints.map { ServicesResponse.Endpoint($0) })
    }
}

extension ServicesResponse.Health {
    fileprivate init(_ status: HealthStatus) { self.init(rawValue: status.rawValue) }
}

extension ServicesResponse.Endpoint {
    fileprivate init(_ stats: StatsResponse.EndpointStats) {
        self.init(
            name: stats.name, subject: stats.subject, requests: stats.requests, errors: stats.errors,
            averageProcessingMs: (Double(stats.averageProcessingTime) / 1000).rounded() / 1000,
            lastError: stats.lastError.isEmpty ? nil : stats.lastError)
    }
}

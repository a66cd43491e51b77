import BusService
import StoreModels

/// Instances on the bus with their health and their statistics since they started:
///
/// ```json
/// {"bus":"connected","missing":[],"services":[{"name":"catalog","id":"9f3c…","version":"0.1.0","status":"pass",
///  "checks":{"database":{"status":"pass"}},"startedAt":"2026-11-21T10:00:00.000Z",
///  "endpoints":[{"name":"products.query","subject":"sb.catalog.v1.products.query","requests":3,"errors":1,
///   "averageProcessingMs":0.041,"lastError":"404 notFound"}]}]}
/// ```
/// `missing` lists the expected services that have no instance.
struct ServicesAnswer: Encodable {
    struct Instance: Encodable {
        var name: String
        /// Random for each process start.
        var id: String
        var version: String
        /// `pass`, `warn`, `fail`.
        var status: HealthStatus
        var checks: [String: HealthCheck]
        /// Absent when the instance reported its health but no statistics in time.
        var startedAt: Timestamp?
        var endpoints: [Endpoint]

        init(_ health: HealthResponse, _ stats: StatsResponse?) {
            name = health.name
            id = health.id
            version = health.version
            status = health.status
            checks = health.checks
            startedAt = stats?.started
            endpoints = stats?.endpoints.map(Endpoint.init) ?? []
        }

        /// Creates an entry for an instance that sent statistics but no health in time.
        init(silent stats: StatsResponse) {
            name = stats.name
            id = stats.id
            version = stats.version
            status = .fail
            checks = ["health": .fail("no answer in time")]
            startedAt = stats.started
            endpoints = stats.endpoints.map(Endpoint.init)
        }
    }

    struct Endpoint: Encodable {
        var name: String
        var subject: String
        var requests: Int
        var errors: Int
        /// To the microsecond.
        var averageProcessingMs: Double
        /// Status and code; absent without an error.
        var lastError: String?

        init(_ stats: StatsResponse.EndpointStats) {
            name = stats.name
            subject = stats.subject
            requests = stats.requests
            errors = stats.errors
            averageProcessingMs = (Double(stats.averageProcessingTime) / 1000).rounded() / 1000
            lastError = stats.lastError.isEmpty ? nil : stats.lastError
        }
    }

    var bus: String
    /// By name and then by instance.
    var services: [Instance]
    var missing: [String]

    /// Services without which the store does not work, or only in part.
    private static let expected: [ServiceName] = [
        .catalog, .paymentQueue, .promotionController, .eligibility, .paymentProcessor,
    ]

    init(bus: String, health: [HealthResponse], stats: [StatsResponse]) {
        self.bus = bus
        let statsByID = Dictionary(stats.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let answered = Set(health.map(\.id))
        services = health.map { Instance($0, statsByID[$0.id]) }
        services += stats.filter { !answered.contains($0.id) }.map(Instance.init(silent:))
        services.sort { ($0.name, $0.id) < ($1.name, $1.id) }
        let present = Set(services.map(\.name))
        missing = Self.expected.map(\.rawValue).filter { !present.contains($0) }
    }
}

import BusClient
import BusService
import COpenAPI
import GatewayEdge
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

/// The routes that tell about the store: its health, its services, its metrics and its description.
struct MonitoringArea: Area {
    let bus: any BusClient
    let services: ServiceCaller
    let apps: AppDirectory
    /// The gateway's address as clients reach it.
    let address: PublicAddress
    /// The imports of `storebus up --init`. Nil for none.
    let imports: ImportsAtStart?
    /// The metrics in Prometheus' text form.
    let exposition: @Sendable () async -> String

    /// The bytes of `openapi.json`, compiled into the gateway.
    static let openAPIDocument = [UInt8](
        UnsafeBufferPointer(start: openapi_document(), count: openapi_document_size()))
    /// The same bytes, which all responses share: half a megabyte for each was memory that clients chose.
    private static let openAPIBuffer = ByteBuffer(bytes: openAPIDocument)

    var routes: [Route] {
        [
            Route(MonitoringRoutes.liveness) { _ in LivenessResponse() },
            Route(MonitoringRoutes.readiness) { _ in try await readiness() },
            Route(MonitoringRoutes.metrics) { _ in
                Reply(bytes: Array(await exposition().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(MonitoringRoutes.services) { _ in try await connectedServices() },
            Route(MonitoringRoutes.environment, MonitoringRoutes.environmentLines) {
                try await storeEnvironment($0)
            },
            Route(MonitoringRoutes.openAPI) { _ in
                Reply(bytes: Self.openAPIBuffer, contentType: "application/json")
            },
        ]
    }

    /// Responds 200 when the bus is connected, Catalog and PaymentQueue answered within a second, and no import at the
    /// start waits or was refused. Otherwise it responds 503. The body lists each service's state, including
    /// PaymentProcessor: without it purchases are accepted and wait.
    private func readiness() async throws -> Reply<ReadinessResponse> {
        async let catalog = isAnswering(.catalog)
        async let payments = isAnswering(.paymentQueue)
        async let processor = isAnswering(.paymentProcessor)
        let answer = ReadinessResponse(
            bus: bus.state == .connected ? "connected" : "away",
            services: [.catalog: await catalog, .paymentQueue: await payments, .paymentProcessor: await processor],
            imports: imports?.files())
        return try Reply(answer, status: answer.ready ? .ok : .serviceUnavailable)
    }

    /// Asks one instance for its health, because a request reaches one too. The check includes its database.
    private func isAnswering(_ service: ServiceName) async -> ServiceState {
        let reply: BusMessage
        do throws(BusError) {
            reply = try await bus.request("$SRV.HEALTH.\(service.rawValue)", timeout: .seconds(1))
        } catch {
            return error.code == .timeout ? .slow : .away
        }
        let status = (try? StrictJSON.parse(reply.body))?["status"]?.stringValue
        return status == nil || status == "fail" ? .failing : .answering
    }

    /// Time for which responses are collected. The number of instances is unknown, so the whole time is always used.
    private static let discoveryTime = Duration.milliseconds(500)

    private func connectedServices() async throws -> ServicesResponse {
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

    /// Responds with the variables for programs that verify the store's data and call its API.
    private func storeEnvironment(_ call: Call) async throws -> EitherReply<StoreEnvironment, RawBody> {
        let format = try call.query.choice("format", StoreEnvironment.Format.self) ?? .json
        let bundleId = try await onlyApp(call)
        let facts = try await services.call(
            SigningEndpoints.verification, AppRequest(bundleId: bundleId), for: call)
        let environment = StoreEnvironment(
            url: address.current + (call.store.map { IsolatedStoreRoutes.pathPrefix + $0.store } ?? ""),
            bundleId: IsolatedApp(bundleId)?.shownBundleId ?? bundleId, issuerId: facts.issuerId,
            keyId: facts.keyIdentifier, rootCertificate: facts.rootCertificate)
        guard format != .json else { return .first(try Reply(environment)) }
        return .second(Reply(bytes: Array(environment.text(format).utf8), contentType: "text/plain; charset=utf-8"))
    }

    /// Returns the app that `?bundleId=` names, or the only one.
    /// - Throws: `requestInvalid` when there are several, or `notFound` without any.
    private func onlyApp(_ call: Call) async throws -> String {
        if let named = try call.bundleFilter() {
            try await apps.check(named, call)
            return named
        }
        let page = try await services.call(CatalogEndpoints.listApps, PageRequest(in: call.scope, limit: 2), for: call)
        guard let first = page.apps.first else {
            throw StoreError(.notFound, "there is no app; import a catalogue first")
        }
        guard page.apps.count == 1 else {
            throw StoreError.invalid("query bundleId", "is missing: there are several apps")
        }
        return first.bundleId
    }
}

/// The state of a service in ``ReadinessResponse``.
private enum ServiceState: String {
    case answering
    /// The service has no subscriber.
    case away
    /// An instance exists but did not answer within a second.
    case slow
    /// The service reports that it cannot work.
    case failing
}

extension ReadinessResponse {
    /// Services without which a purchase is rejected.
    private static let essential: Set<ServiceName> = [.catalog, .paymentQueue]

    fileprivate init(bus: String, services: [ServiceName: ServiceState], imports: [ImportedFile]?) {
        let missing = services.filter { $0.value != .answering }.keys
        self.init(
            ready: bus == "connected" && Self.essential.isDisjoint(with: missing)
                && (imports ?? []).allSatisfy { [.imported, .skipped].contains($0.status) },
            bus: bus,
            degraded: missing.filter { !Self.essential.contains($0) }.map(\.rawValue).sorted(),
            services: Dictionary(uniqueKeysWithValues: services.map { ($0.key.rawValue, $0.value.rawValue) }),
            imports: imports)
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

extension StoreEnvironment {
    fileprivate func text(_ format: Format) -> String {
        values.map { name, value in
            switch format {
            case .shell: "export \(name)=\(Self.quoted(value))\n"
            case .json, .dotenv, .github: "\(name)=\(value)\n"
            }
        }.joined()
    }

    /// Makes a word of a POSIX shell, by bytes. The address is the operator's text.
    private static func quoted(_ value: String) -> String {
        let quote = Array("'\\''".utf8)
        let bytes = value.utf8.flatMap { $0 == UInt8(ascii: "'") ? quote : [$0] }
        return "'" + String(decoding: bytes, as: UTF8.self) + "'"
    }
}

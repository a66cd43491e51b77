import BusClient
import COpenAPI
import Hummingbird
import NIOCore
import StoreHTTP
import StoreModels

extension Gateway {
    /// The bytes of `openapi.json`, compiled into the gateway.
    static let openAPIDocument = [UInt8](
        UnsafeBufferPointer(start: openapi_document(), count: openapi_document_size()))
    /// The same bytes, which all responses share: half a megabyte for each was memory that clients chose.
    private static let openAPIBuffer = ByteBuffer(bytes: openAPIDocument)

    var monitoringRoutes: [Route] {
        [
            Route(MonitoringRoutes.frontPage) { [self] in try frontPage($0) },
            Route(MonitoringRoutes.liveness) { _ in LivenessResponse() },
            Route(MonitoringRoutes.readiness) { [self] _ in try await readiness() },
            Route(MonitoringRoutes.metrics) { [self] _ in
                Reply(bytes: Array(await exposition().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(MonitoringRoutes.services) { [self] _ in try await connectedServices() },
            Route(MonitoringRoutes.environment, MonitoringRoutes.environmentLines) { [self] in
                try await storeEnvironment($0)
            },
            Route(MonitoringRoutes.openAPI) { _ in
                Reply(bytes: Self.openAPIBuffer, contentType: "application/json")
            },
        ]
    }

    /// Responds 200 when the bus is connected and Catalog and PaymentQueue answered within a second. Otherwise it
    /// responds 503. The body lists each service's state, including PaymentProcessor: without it purchases are accepted
    /// and wait.
    private func readiness() async throws -> Reply<ReadinessResponse> {
        async let catalog = isAnswering(.catalog)
        async let payments = isAnswering(.paymentQueue)
        async let processor = isAnswering(.paymentProcessor)
        let answer = ReadinessResponse(
            bus: bus.state == .connected ? "connected" : "away",
            services: [.catalog: await catalog, .paymentQueue: await payments, .paymentProcessor: await processor])
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

    /// The response of `/` to clients other than browsers.
    static let frontPageText = """
        Storebus gateway.

        A self-hosted store in the shape of StoreKit: this is its HTTP side.

          /openapi.json   the description of every path
          /readyz         whether purchases are taken now, and which services are missing
          /healthz        whether this process lives
          /metrics        for Prometheus
          /               in a browser: the console; storebus open opens it

        POST /v1/sessions gives an app its token; the operator's paths begin with /admin/v1.

        """
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

    fileprivate init(bus: String, services: [ServiceName: ServiceState]) {
        let missing = services.filter { $0.value != .answering }.keys
        self.init(
            ready: bus == "connected" && Self.essential.isDisjoint(with: missing), bus: bus,
            degraded: missing.filter { !Self.essential.contains($0) }.map(\.rawValue).sorted(),
            services: Dictionary(uniqueKeysWithValues: services.map { ($0.key.rawValue, $0.value.rawValue) }))
    }
}

import BusClient
import COpenAPI
import Hummingbird
import StoreModels

extension Gateway {
    /// The bytes of `openapi.json`, compiled into the gateway.
    static let openAPIDocument = [UInt8](
        UnsafeBufferPointer(start: openapi_document(), count: openapi_document_size()))

    var monitoringRoutes: [Route] {
        [
            Route(.get, "/", .open) { _ in
                Reply.bytes(Array(Self.frontPage.utf8), contentType: "text/plain; charset=utf-8")
            },
            Route(.get, "/healthz", .open) { _ in try Reply.json(["status": "pass"]) },
            Route(.get, "/readyz", .open) { [self] _ in try await readiness() },
            Route(.get, "/metrics", .open) { [self] _ in
                Reply.bytes(Array(await exposition().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
            },
            Route(.get, "/openapi.json", .open) { _ in
                Reply.bytes(Self.openAPIDocument, contentType: "application/json")
            },
        ]
    }

    /// 200 when the bus is connected and Catalog and PaymentQueue answered within a second; otherwise 503. Either way
    /// the body names each and what it said.
    private func readiness() async throws -> Response {
        async let catalog = isAnswering(.catalog)
        async let payments = isAnswering(.paymentQueue)
        let services = [ServiceName.catalog.rawValue: await catalog, ServiceName.paymentQueue.rawValue: await payments]
        let answer = Readiness(bus: bus.state == .connected ? "connected" : "away", services: services)
        return try Reply.json(answer, status: answer.isReady ? .ok : .serviceUnavailable)
    }

    /// Any one instance is enough: a request finds it. `$SRV.HEALTH` is asked because it looks at the database too.
    private func isAnswering(_ service: ServiceName) async -> Readiness.Service {
        let reply: BusMessage
        do throws(BusError) {
            reply = try await bus.request("$SRV.HEALTH.\(service.rawValue)", timeout: .seconds(1))
        } catch {
            return error.code == .timeout ? .slow : .away
        }
        let status = (try? StrictJSON.parse(reply.body))?["status"]?.stringValue
        return status == nil || status == "fail" ? .failing : .answering
    }

    private static let frontPage = """
        Storebus gateway.

        A self-hosted store in the shape of StoreKit: this is its HTTP side.

          /openapi.json   what can be asked here
          /readyz         whether purchases work now, and what is missing if not
          /healthz        whether this process lives
          /metrics        for Prometheus

        POST /v1/sessions gives an app its token; the operator's paths begin with /admin/v1.

        """
}

/// `{"ready":false,"bus":"connected","services":{"catalog":"answering","payment-queue":"away"}}`
struct Readiness: Encodable {
    enum Service: String, Encodable {
        case answering
        /// Nobody takes its subjects.
        case away
        /// It is there and did not answer within a second.
        case slow
        /// It says of itself that it cannot work.
        case failing
    }

    let ready: Bool
    let bus: String
    let services: [String: Service]

    init(bus: String, services: [String: Service]) {
        self.bus = bus
        self.services = services
        ready = bus == "connected" && services.values.allSatisfy { $0 == .answering }
    }

    var isReady: Bool { ready }
}

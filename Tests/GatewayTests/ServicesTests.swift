import BusClient
import BusService
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import OperatorAPI

@Suite struct ServicesTests {
    private func ask(_ store: GatewayHarness) async throws -> JSONValue {
        try await store.send(.GET, "/admin/v1/services", token: Sample.adminKey).json
    }

    private func service(_ name: String, in answer: JSONValue) -> JSONValue? {
        answer["services"]?.arrayValue?.first { $0["name"]?.stringValue == name }
    }

    @Test func `every instance is listed with its health, and what is not there is named`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await ask(store)
            let names = (answer["services"]?.arrayValue ?? []).compactMap { $0["name"]?.stringValue }
            #expect(
                names == [
                    "app-store-server", "catalog", "eligibility", "gateway", "payment-queue", "promotion-controller",
                ])
            #expect(answer["missing"] == .array(["payment-processor"]))
            #expect(service("catalog", in: answer)?["status"] == "pass")
            #expect(Timestamp(service("catalog", in: answer)?["startedAt"]?.stringValue ?? "") != nil)
        }
    }

    @Test func `endpoints are listed with what they have done`() async throws {
        try await GatewayHarness.run { store in
            _ = try await store.send(.GET, "/admin/v1/apps/com.example.app", token: Sample.adminKey)
            _ = try await store.send(.GET, "/admin/v1/apps/none", token: Sample.adminKey)
            var endpoints: [JSONValue] = []
            var getApp: JSONValue? { endpoints.first { $0["name"] == "app.get" } }
            // A request is counted after its reply.
            try await eventually("both requests are counted") {
                endpoints = service("catalog", in: try await ask(store))?["endpoints"]?.arrayValue ?? []
                return getApp?["requests"]?.intValue == 2
            }
            #expect(getApp?["subject"]?.stringValue == CatalogEndpoints.getApp.subject)
            #expect(getApp?["errors"]?.intValue == 1)
            #expect(getApp?["lastError"] == "404 notFound")
            #expect(getApp?["averageProcessingMs"] != nil)
            let untouched = endpoints.first { $0["name"] == "app.put" }
            #expect(untouched?["requests"]?.intValue == 0)
            #expect(untouched?["lastError"] == nil)
        }
    }

    @Test func `an instance that does not look at its health in time fails`() throws {
        let text = """
            {"type":"io.nats.micro.v1.stats_response","name":"catalog","id":"i1","version":"1","metadata":{},
             "started":"2026-11-21T10:00:00.000Z","endpoints":[{"name":"app.get","subject":"sb.catalog.v1.app.get",
             "queue_group":"q","num_requests":3,"num_errors":0,"last_error":"","processing_time":123456,
             "average_processing_time":41152}]}
            """
        let stats = try StoreJSON.decode(StatsResponse.self, from: Array(text.utf8))
        let answer = ServicesResponse(bus: "connected", health: [], stats: [stats])
        #expect(answer.services.map(\.status) == [.fail])
        #expect(answer.services.first?.endpoints.first?.averageProcessingMs == 0.041)
        #expect(!answer.missing.contains("catalog"))
    }

    @Test func `without a bus no service is listed`() async throws {
        try await GatewayHarness.run { store in
            store.gatewayClient.disconnect()
            let answer = try await ask(store)
            #expect(answer["bus"] == "away")
            #expect(answer["missing"]?.arrayValue?.count == 6)
            store.gatewayClient.reconnect()
        }
    }
}

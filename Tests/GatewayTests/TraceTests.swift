import BusService
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

@testable import GatewayEdge

/// `GET /admin/v1/traces`
@Suite struct TraceTests {
    private func traces(_ store: GatewayHarness, _ query: String = "") async throws -> [JSONValue] {
        let answer = try await store.send(.GET, "/admin/v1/traces\(query)", token: Sample.adminKey)
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["traces"]?.arrayValue ?? []
    }

    private func names(_ trace: JSONValue?) -> [String] {
        trace?["spans"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
    }

    @Test func `a request is a trace with the spans of the services that it needed`() async throws {
        try await GatewayHarness.run { store in
            let app = try await store.session()
            let asked = try await store.send(.GET, "/v1/eligibility", token: app)
            #expect(asked.status == 200, "\(asked.text)")
            let trace = try #require(try await traces(store).first { names($0).first == "GET /v1/eligibility" })
            #expect(names(trace).count > 1)
            let spans = try #require(trace["spans"]?.arrayValue)
            let root = spans[0]
            #expect(root["service"] == "gateway" && root["attributes"]?["http.response.status_code"] == "200")
            #expect(spans.dropFirst().allSatisfy { $0["traceId"] == trace["traceId"] && $0["parentSpanId"] != nil })
            let id = try #require(trace["traceId"]?.stringValue)
            #expect(try await traces(store, "?of=\(id)").map { $0["traceId"] } == [.string(id)])
        }
    }

    @Test func `a trace is found by an identifier in its path, and by its duration`() async throws {
        try await GatewayHarness.run { store in
            let look = try await store.send(.GET, "/admin/v1/transactions/t_none", token: Sample.adminKey)
            #expect(look.status == 404)
            #expect(try await traces(store, "?of=t_none").isEmpty)
            let missing = try await store.send(
                .POST, "/admin/v1/transactions/t_none/approve", token: Sample.adminKey, body: "{}")
            #expect(missing.status == 404, "\(missing.text)")
            let found = try await traces(store, "?of=t_none&limit=1")
            #expect(names(found.first).first == "POST /admin/v1/transactions/{id}/approve")
            #expect(found.first?["spans"]?.arrayValue?.first?["error"] == "notFound")
            #expect(try await traces(store, "?of=t_other").isEmpty)
            #expect(try await traces(store, "?slowerThan=300000").isEmpty)
        }
    }

    @Test func `a client's own trace is listed, and a stranger's request is not kept`() async throws {
        try await GatewayHarness.run { store in
            let app = try await store.session()
            let asked = try await store.send(
                .GET, "/v1/eligibility", token: app,
                headers: [("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")])
            #expect(asked.status == 200)
            _ = try await store.send(.GET, "/admin/v1/transactions/t_1", token: "wrong")
            let all = try await traces(store)
            #expect(all.contains { $0["traceId"] == "4bf92f3577b34da6a3ce929d0e0e4736" })
            #expect(!all.flatMap(names).contains("GET /admin/v1/transactions/{id}"))
        }
    }

    @Test func `monitoring, streams and traces leave no spans`() async throws {
        try await GatewayHarness.run { store in
            for path in ["/healthz", "/readyz", "/metrics"] { _ = try await store.send(.GET, path) }
            let all = try await traces(store).flatMap(names)
            #expect(
                !all.contains {
                    $0.contains("traces") || $0.contains("healthz") || $0.contains("readyz") || $0.contains("metrics")
                })
        }
    }

    @Test(arguments: [
        "?limit=0", "?limit=101", "?slowerThan=-1", "?slowerThan=300001", "?slowerThan=x", "?of=a&of=b", "?of=",
    ])
    func `a query out of its bounds is refused`(query: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/admin/v1/traces\(query)", token: Sample.adminKey)
            #expect(answer.status == 400 && answer.json["code"] == "requestInvalid")
        }
    }
}

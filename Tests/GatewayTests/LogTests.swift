import EventLoop
import NIOHTTP1
import ServiceTesting
import StoreModels
import StorebusTesting
import Testing

/// S20: secrets and customers' data are in no log line, after any error.
@Suite struct LogTests {
    @Test func `no token, key, query or body is ever logged`() async throws {
        let logs = LogCapture()
        let secrets = ElementRecorder<String>()
        let token = try await GatewayHarness.run(logs: logs) { store in
            let token = try await store.session()
            let pay = #"{"productIdentifier":"p","quantity":1,"applicationUsername":"canary-user"}"#
            _ = try await store.send(
                .POST, "/v1/payments", token: token, headers: [("Idempotency-Key", "canary-key")], body: pay)
            _ = try await store.send(.GET, "/v1/products?ids=canary-product", token: token)
            _ = try await store.send(.GET, "/admin/v1/apps", token: Sample.adminKey)
            _ = try await store.send(.GET, "/v1/transactions", token: "canary-token")
            _ = try await store.send(.POST, "/v1/sessions", body: #"{"canary-member":1}"#)
            let server = try await store.apiKey()
            _ = try await store.send(.GET, "/v1/customers/alice/history", token: server)
            for path in ["/v1/customers/canary/history", "/v1/customer/canary", "/v1/customers/canary"] {
                _ = try await store.send(.GET, path, token: server)
                _ = try await store.send(.DELETE, path, token: server)
            }
            _ = try await store.send(.GET, "/admin/v1/testers/canary", token: Sample.adminKey)
            _ = try await store.send(.GET, "/v1/customers/alice/history", token: "\(server)x")
            secrets.append(server)
            for kind in ["sharedSecret", "subscriptionOffer"] {
                let key = try await store.send(
                    .POST, "/admin/v1/apps/com.example.app/keys", token: Sample.adminKey, body: #"{"kind":"\#(kind)"}"#)
                secrets.append(key.json["secret"]?.stringValue ?? "")
            }
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "the cause") }
            _ = try await store.send(.GET, "/v1/transactions", token: token)
            return token
        }
        let text = logs.all.joined(separator: "\n")
        #expect(secrets.all.count == 3 && !secrets.all.contains(""))
        for secret in secrets.all + [token, Sample.adminKey, "canary"] { #expect(!text.contains(secret)) }
        #expect(text.contains("the cause"), "whoever looks after the store is told")
    }

    @Test func `each request leaves one line that names the route, the trace and the outcome`() async throws {
        let logs = LogCapture()
        try await GatewayHarness.run(logs: logs) { store in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let token = try await store.session()
            _ = try await store.send(
                .GET, "/v1/transactions/none", token: token,
                headers: [("traceparent", "00-\(trace)-00f067aa0ba902b7-01")])
            let lines = logs.all.filter { $0.contains(trace) && $0.contains("request") }
            #expect(lines.count == 1)
            for part in ["GET /v1/transactions/{id}", "404", "notFound", "c_alice", Sample.bundleId] {
                #expect(lines.first?.contains(part) == true, "\(part)")
            }
        }
    }
}

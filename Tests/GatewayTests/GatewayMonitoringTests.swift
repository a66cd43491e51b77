import BusClient
import NIOHTTP1
import StoreModels
import Testing

@Suite struct GatewayMonitoringTests {
    @Test func `ready names the payment processor that purchases wait for, and takes them`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/readyz")
            #expect(answer.status == 200)
            #expect(answer.json["ready"] == true)
            #expect(answer.json["degraded"] == .array(["payment-processor"]))
            #expect(answer.json["services"]?["payment-processor"] == "away")
        }
    }

    @Test func `ready means bus, Catalog and PaymentQueue`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "/readyz")
            #expect(answer.status == 200)
            #expect(
                answer.json["services"]
                    == .object([
                        "catalog": "answering", "payment-queue": "answering", "payment-processor": "away",
                    ]))
            store.eligibility.goAway()
            #expect(try await store.send(.GET, "/readyz").status == 200, "a store can sell without Eligibility")
            store.payments.service.goAway()
            let without = try await store.send(.GET, "/readyz")
            #expect(without.status == 503)
            #expect(without.json["services"]?["payment-queue"] == "away")
            #expect(without.json["services"]?["catalog"] == "answering")
            store.gatewayClient.disconnect()
            let alone = try await store.send(.GET, "/readyz")
            #expect(alone.status == 503)
            #expect(alone.json["bus"] == "away")
            #expect(try await store.send(.GET, "/healthz").status == 200, "the process lives")
            store.gatewayClient.reconnect()
        }
    }

    @Test func `the open pages are there`() async throws {
        try await GatewayHarness.run { store in
            let page = try await store.send(.GET, "/")
            #expect(page.status == 200)
            #expect(page.text.contains("/openapi.json"))
            #expect(try await store.send(.GET, "/metrics").text == "storebus_on_loop 0\n")
            #expect(try await store.send(.GET, "/openapi.json").json["openapi"] == "3.1.0")
        }
    }
}

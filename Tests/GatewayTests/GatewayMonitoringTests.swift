import BusClient
import Foundation
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import OperatorAPI

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

    @Test func `imports of the start that wait are read again, and ended ones stay`() throws {
        let directory = try TemporaryDirectory()
        let imports = ImportsAtStart(file: directory.file("imports.json"))
        func write(_ status: String) throws {
            let text = #"[{"file":"App.storekit","bundleId":"com.example.app","status":"\#(status)"}]"#
            try Data(text.utf8).write(to: URL(filePath: directory.file("imports.json")))
        }
        #expect(imports.files().map(\.status) == [.waiting], "there is no file yet")
        try write("waiting")
        #expect(imports.files().map(\.file) == ["App.storekit"])
        #expect(imports.files().map(\.status) == [.waiting])
        try write("imported")
        #expect(imports.files().map(\.status) == [.imported])
        try write("refused")
        #expect(imports.files().map(\.status) == [.imported], "the outcome is known")
    }

    @Test(arguments: [("waiting", 503), ("imported", 200), ("refused", 503), ("skipped", 200)])
    func `ready means that no import of the start waits or was refused`(status: String, expected: Int) async throws {
        let directory = try TemporaryDirectory()
        let text = #"[{"file":"App.storekit","bundleId":"com.example.app","status":"\#(status)","error":"why"}]"#
        try Data(text.utf8).write(to: URL(filePath: directory.file("imports.json")))
        let imports = ImportsAtStart(file: directory.file("imports.json"))
        try await GatewayHarness.run(imports: imports) { store in
            let answer = try await store.send(.GET, "/readyz")
            #expect(answer.status == expected)
            #expect(answer.json["ready"] == .bool(expected == 200))
            #expect(answer.json["imports"]?.arrayValue?.first?["status"] == .string(status))
            #expect(answer.json["imports"]?.arrayValue?.first?["error"] == "why")
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

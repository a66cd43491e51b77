import Foundation
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

@Suite struct SessionTests {
    private let line = "POST /v1/sessions"

    @Test func `M14: whether the customer may pay is the store's answer, waited for once`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line) { _ in .session(token: "secret", canMakePayments: false) }
        let queue = gateway.queue()
        for _ in 0..<3 { #expect(!queue.canMakePayments) }
        #expect(queue.storefront?.countryCode == "USA")
        #expect(gateway.requests(line).count == 1)
    }

    @Test func `a store that cannot be reached forbids nothing`() async throws {
        let gateway = try FakeGateway()
        let queue = gateway.queue { _, timing in timing.firstSessionWait = .milliseconds(50) }
        gateway.stop()
        #expect(queue.canMakePayments)
        #expect(queue.storefront == nil || queue.storefront?.countryCode == "USA")
    }

    @Test func `the launch says who and where, and all requests wait for the same one`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /v1/restore") { _ in .json(["restoreIdentifier": "r"], status: 202) }
        let queue = gateway.queue { connection, _ in connection.storefront = "FRA" }
        for _ in 0..<10 { queue.restoreCompletedTransactions() }
        try await eventually("all are sent") { gateway.requests("POST /v1/restore").count == 10 }
        let sessions = gateway.requests(line)
        #expect(sessions.count == 1)
        let expected: JSONValue = .object([
            "bundleId": "com.example.app", "deviceId": "alice-1", "account": "alice", "platform": "other",
            "osVersion": "1.0", "appVersion": "1.0", "storefront": "FRA",
            "promotedPurchases": "none",
        ])
        #expect(sessions[0].json == expected)
        #expect(sessions[0].token == nil)
    }

    @Test func `many requests that meet an old session open one new one`() async throws {
        let gateway = try FakeGateway()
        gateway.on("POST /v1/restore") {
            $0.token == "token-1" ? .problem(.unauthenticated) : .json(["restoreIdentifier": "r"], status: 202)
        }
        let queue = gateway.queue()
        for _ in 0..<10 { queue.restoreCompletedTransactions() }
        try await eventually("all are taken") {
            gateway.requests("POST /v1/restore").filter { $0.token == "token-2" }.count == 10
        }
        #expect(gateway.requests(line).count == 2)
    }

    @Test func `a new session that finds the customer in another country tells the observer`() async throws {
        let gateway = try FakeGateway()
        gateway.on(line, [.session(token: "token-1"), .session(token: "token-2", storefront: "JPN")])
        gateway.on("POST /v1/restore") {
            $0.token == "token-1" ? .problem(.unauthenticated) : .json(["restoreIdentifier": "r"], status: 202)
        }
        let queue = gateway.queue()
        let observer = RecordingObserver()
        queue.add(observer)
        queue.restoreCompletedTransactions()
        try await eventually("it is told") { observer.calls == [.storefrontChanged] }
        #expect(queue.storefront?.countryCode == "JPN")
    }

    @Test func `what is logged holds no token and no name`() async throws {
        let gateway = try FakeGateway()
        let lines = LockedValue<[String]>([])
        gateway.on(line) { _ in .session(token: "secret-token") }
        gateway.on(
            "GET /v1/transactions/stream", [.problem(.rateLimited), .problem(.rateLimited), .stream(.beginning())])
        gateway.on("POST /v1/payments", [.drop, .problem(.notImplemented)])
        let queue = gateway.queue { connection, _ in
            connection.account = "secret-account"
            connection.log = { line in lines.withLock { $0.append(line) } }
        }
        let observer = RecordingObserver()
        queue.add(observer)
        queue.add(SKPayment(PaymentFields(productIdentifier: "p")))
        try await eventually("it has failed") { observer.states.contains(.failed) }
        try await eventually("the third stream is open") {
            gateway.requests("GET /v1/transactions/stream").count == 3
        }
        let logged = lines.withLock { $0 }
        #expect(logged.count >= 3)
        #expect(logged.allSatisfy { !$0.contains("secret") }, "\(logged)")
    }

    @Test func `a connection is read from the environment, whole or not at all`() throws {
        let whole = [
            "STOREBUS_URL": "http://127.0.0.1:7430/", "STOREBUS_BUNDLE_ID": "b", "STOREBUS_DEVICE_ID": "d",
            "STOREBUS_ACCOUNT": "a",
        ]
        let connection = try #require(StoreConnection.fromEnvironment(whole))
        #expect(connection.gateway.appendingPath("/v1/restore")?.absoluteString == "http://127.0.0.1:7430/v1/restore")
        #expect(connection.storefront == nil)
        for name in whole.keys {
            var part = whole
            part[name] = nil
            #expect(StoreConnection.fromEnvironment(part) == nil, "\(name) is missing")
        }
    }
}

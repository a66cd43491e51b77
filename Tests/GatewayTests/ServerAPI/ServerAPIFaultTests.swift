import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

/// Goal: an app's server meets the faults that were ordered, in their order, each once, and limits only where they are
/// set.
@Suite struct ServerAPIFaultTests {
    private static let faults = "/admin/v1/apps/\(Sample.bundleId)/server-api/faults"
    private static let settings = "/admin/v1/apps/\(Sample.bundleId)/server-api"
    private static let info = "/inApps/v1/transactions/2000000000000001"

    private func withSamples(_ body: @Sendable (GatewayHarness, String) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            try await body(store, try await store.serverToken().text())
        }
    }

    private func order(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await store.send(.POST, Self.faults, token: Sample.adminKey, body: body)
    }

    @Test func `every number of Apple's can be ordered, with its status and a sentence`() async throws {
        try await withSamples { store, token in
            for error in ServerAPIError.allCases {
                #expect(try await order(store, #"{"errorCode":\#(error.code)}"#).status == 201)
                let answer = try await store.send(.GET, Self.info, token: token)
                #expect(answer.status == error.code / 10_000)
                #expect(answer.json["errorCode"] == .integer(Int64(error.code)))
                #expect(answer.json["errorMessage"]?.stringValue?.isEmpty == false)
                #expect((answer.headers.first(name: "Retry-After") != nil) == (error == .rateLimitExceeded))
            }
            #expect(try await store.send(.GET, Self.info, token: token).status == 200)
        }
    }

    @Test func `faults are met in their order, by the paths they are for, as often as ordered`() async throws {
        try await withSamples { store, token in
            let template = "/inApps/v1/transactions/{transactionId}"
            for body in [
                #"{"errorCode":4040002,"path":"\#(template)","times":2}"#, #"{"errorCode":5000001}"#,
                #"{"errorCode":5000000,"path":"\#(Self.info)"}"#,
            ] { #expect(try await order(store, body).status == 201) }
            let left = try await store.send(.GET, Self.faults, token: Sample.adminKey)
            #expect(left.json["faults"]?.arrayValue?.map { $0["times"] } == [2, 1, 1])
            func code(_ path: String) async throws -> JSONValue? {
                try await store.send(.GET, path, token: token).json["errorCode"]
            }
            #expect(try await code("/inApps/v1/subscriptions/2000000000000001") == 5_000_001)
            #expect(try await code(Self.info) == 4_040_002)
            #expect(try await code("/inApps/v1/transactions/2000000000000003") == 4_040_002)
            #expect(try await code("/inApps/v1/transactions/2000000000000003") == nil)
            #expect(try await code(Self.info) == 5_000_000)
            #expect(try await code(Self.info) == nil)
            #expect(try await order(store, #"{"errorCode":5000000}"#).status == 201)
            #expect(try await store.send(.DELETE, Self.faults, token: Sample.adminKey).status == 204)
            #expect(try await code(Self.info) == nil)
        }
    }

    @Test func `requests at the same time meet as many faults as were ordered`() async throws {
        try await withSamples { store, token in
            #expect(try await order(store, #"{"errorCode":5000001,"times":5}"#).status == 201)
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await store.send(.GET, Self.info, token: token).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 500 }.count == 5)
            #expect(statuses.filter { $0 == 200 }.count == 15)
        }
    }

    @Test func `a closed connection has no response, and the next request has one`() async throws {
        try await withSamples { store, token in
            let ordered = try await order(store, #"{"outcome":"close"}"#)
            #expect(ordered.status == 201)
            await #expect(throws: (any Error).self) { _ = try await store.send(.GET, Self.info, token: token) }
            let answer = try await store.send(.GET, Self.info, token: token)
            #expect(answer.status == 200)
        }
    }

    @Test func `what is no fault is refused, with its place`() async throws {
        try await withSamples { store, _ in
            for (body, path, status) in [
                (#"{}"#, "$.errorCode", 400), (#"{"errorCode":4040010,"outcome":"close"}"#, "$.errorCode", 400),
                (#"{"errorCode":4049999}"#, "$.errorCode", 422), (#"{"errorCode":4040010,"times":0}"#, "$.times", 400),
                (#"{"errorCode":4040010,"path":"/v1/payments"}"#, "$.path", 400),
                (#"{"outcome":"explode"}"#, "$.outcome", 400),
            ] {
                let answer = try await order(store, body)
                #expect(answer.status == status, "\(body)")
                #expect(answer.json["path"]?.stringValue == path, "\(body)")
            }
        }
    }

    // MARK: Rate limits

    @Test func `one request too many in the hour is 429, until the hour is over`() async throws {
        try await withSamples { store, _ in
            let limits = #"{"environment":"Sandbox","rateLimits":{"getTransactionInfo":2}}"#
            let put = try await store.send(.PUT, Self.settings, token: Sample.adminKey, body: limits)
            #expect(put.json["rateLimits"] == .object(["getTransactionInfo": 2]))
            // The machine's clock decides, and the hour may end between two requests of this test.
            let hour: Int64 = 3_600_000
            let start = (Timestamp.wallClock().milliseconds / hour) * hour + 60_000
            store.moveClock(to: Timestamp(milliseconds: start))
            let fresh = try await store.serverToken(at: Timestamp(milliseconds: start)).text()
            for _ in 0..<2 { #expect(try await store.send(.GET, Self.info, token: fresh).status == 200) }
            let refused = try await store.send(.GET, Self.info, token: fresh)
            #expect(refused.status == 429)
            #expect(refused.json["errorCode"] == 4_290_000)
            #expect(refused.headers.first(name: "Retry-After") == "\((start / hour + 1) * hour)")
            // Another operation has no limit.
            let other = "/inApps/v1/subscriptions/2000000000000001"
            #expect(try await store.send(.GET, other, token: fresh).status == 200)
            store.moveClock(to: Timestamp(milliseconds: start + hour))
            let next = try await store.serverToken(at: Timestamp(milliseconds: start + hour)).text()
            #expect(try await store.send(.GET, Self.info, token: next).status == 200)
        }
    }

    @Test func `Apple's limits by name, and what is none`() async throws {
        #expect(ServerAPIRateLimits.production.limit(of: .getTransactionInfo) == 180_000)
        #expect(ServerAPIRateLimits.sandbox.limit(of: .requestTestNotification) == 360)
        #expect(ServerAPIRateLimits.off.limit(of: .getTransactionInfo) == nil)
        try await withSamples { store, _ in
            for limits in [#""some""#, "1", #"{"unknown":1}"#, #"{"getTransactionInfo":-1}"#] {
                let answer = try await store.send(
                    .PUT, Self.settings, token: Sample.adminKey, body: #"{"rateLimits":\#(limits)}"#)
                #expect(answer.status == 400, "\(limits)")
            }
            for limits in [#""off""#, #""sandbox""#, #""production""#, "{}"] {
                let answer = try await store.send(
                    .PUT, Self.settings, token: Sample.adminKey, body: #"{"rateLimits":\#(limits)}"#)
                #expect(answer.status == 200, "\(limits)")
            }
            for route in [AppStoreServerRoutes.transaction.route, AppStoreServerRoutes.consumptionV1.route] {
                #expect(ServerAPIOperation(route) != nil)
            }
        }
    }
}

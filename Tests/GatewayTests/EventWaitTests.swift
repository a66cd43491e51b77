import BusClient
import EventLoop
import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

@testable import Gateway
@testable import OperatorAPI

@Suite struct EventWaitTests {
    private let key = Sample.adminKey
    private let path = "/admin/v1/events/wait"

    private func ids(_ answer: Answer) -> [String?] {
        (answer.json["events"]?.arrayValue ?? []).map { $0["id"]?.stringValue }
    }

    /// Waits for what `query` asks for; `meanwhile` runs as soon as the gateway has looked for it.
    private func wait(
        _ store: GatewayHarness, _ query: String, meanwhile: @Sendable () async throws -> Void
    ) async throws -> Answer {
        let looks = store.payments.looks
        async let answer = store.send(.GET, "\(path)\(query)", token: key)
        try await eventually("the gateway has looked") { store.payments.looks > looks }
        try await meanwhile()
        return try await answer
    }

    @Test func `what happened before does not count, what happens now does`() async throws {
        try await GatewayHarness.run { store in
            store.payments.happen(.purchased)
            let answer = try await wait(store, "?timeout=30s") { store.payments.happen(.failed) }
            #expect(answer.status == 200)
            #expect(ids(answer) == ["2"])
            #expect(answer.json["after"] == "2")
            #expect(answer.json["events"]?.arrayValue?.first?["type"] == "failed")
        }
    }

    @Test func `with after nothing in between is lost`() async throws {
        try await GatewayHarness.run { store in
            let now = try await store.send(.GET, "\(path)?timeout=0", token: key)
            #expect(now.json == .object(["events": .array([]), "after": "0"]))
            store.payments.happen(.purchasing)
            store.payments.happen(.purchased)
            let answer = try await store.send(.GET, "\(path)?after=0&type=purchased", token: key)
            #expect(ids(answer) == ["2"])
        }
    }

    @Test func `only what matches ends the wait`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await wait(
                store, "?type=purchased&account=alice&bundleId=com.example.app&timeout=1m"
            ) {
                store.payments.happen(.purchased, account: "bob")
                store.payments.happen(.failed)
                store.payments.happen(.purchased)
            }
            #expect(ids(answer) == ["3"])
        }
    }

    @Test(arguments: StoreEvent.Kind.allCases)
    func `every kind of event can be waited for`(kind: StoreEvent.Kind) async throws {
        try await GatewayHarness.run { store in
            store.payments.happen(kind == .finished ? .failed : .finished)
            store.payments.happen(kind)
            let answer = try await store.send(.GET, "\(path)?after=0&type=\(kind.rawValue)", token: key)
            #expect(ids(answer) == ["2"])
            #expect(answer.json["events"]?.arrayValue?.first?["type"]?.stringValue == kind.rawValue)
        }
    }

    @Test func `a lost hint costs a second`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await wait(store, "?timeout=30s") { store.payments.happen(.purchased, hinted: false) }
            #expect(ids(answer) == ["1"])
        }
    }

    @Test func `nothing in time is an answer without events`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "\(path)?timeout=50ms", token: key)
            #expect(answer.status == 200)
            #expect(answer.json["events"] == .array([]))
            #expect(answer.headers.first(name: "Connection") == "close")
        }
    }

    @Test(arguments: [
        "timeout=61s", "timeout=2m", "timeout=soon", "timeout=", "timeout=-1", "timeout=1.5s", "type=lost",
        "timeout=99999999999999999999", "after=", "account=", "bundleId=a%20b",
    ])
    func `a wrong query is refused`(query: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.GET, "\(path)?\(query)", token: key)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test func `times are read with their units`() throws {
        #expect(try EventWait.duration("500ms") == .milliseconds(500))
        #expect(try EventWait.duration("5s") == .seconds(5))
        #expect(try EventWait.duration("1m") == .seconds(60))
        #expect(try EventWait.duration("60") == .seconds(60))
        #expect(try EventWait.duration("0") == .zero)
    }

    @Test func `the gateway subscribes only while a request waits`() async throws {
        try await GatewayHarness.run { store in
            let before = store.bus.subscriptionCount
            _ = try await wait(store, "") {
                #expect(store.bus.subscriptionCount == before + 1)
                store.payments.happen(.purchased)
            }
            #expect(store.bus.subscriptionCount == before)
            #expect(store.gateway.operators.eventWaits.count(.request) == 0)
        }
    }

    @Test func `a client that hangs up leaves nothing behind`() async throws {
        try await GatewayHarness.run { store in
            let before = store.bus.subscriptionCount
            let socket = RawConnection.hold(
                store, "GET \(path)?timeout=60s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n")
            try await eventually("the gateway listens") { store.payments.looks > 0 }
            #expect(store.gateway.operators.eventWaits.count(.request) == 1)
            RawConnection.release(socket)
            try await eventually("the wait is over") {
                store.gateway.operators.eventWaits.count(.request) == 0 && store.bus.subscriptionCount == before
            }
        }
    }

    @Test func `a gateway that stops ends the wait and says so`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await wait(store, "?timeout=60s") { store.gateway.operators.eventWaits.stop() }
            #expect(answer.status == 503)
            #expect(answer.json["retryable"] == true)
            #expect(try await store.send(.GET, path, token: key).status == 503, "none begins any more")
        }
    }

    @Test(arguments: IntentEvent.Kind.allCases)
    func `what happens to intents can be waited for (M85)`(kind: IntentEvent.Kind) async throws {
        try await GatewayHarness.run { store in
            let looks = store.promotions.contents.withLock { $0.looks }
            async let waiting = store.send(
                .GET, "\(path)?type=\(kind.rawValue)&account=alice&bundleId=com.example.app&timeout=30s", token: key)
            try await eventually("the gateway has looked") {
                store.promotions.contents.withLock { $0.looks } > looks
            }
            store.promotions.happen(kind, account: "bob")
            store.promotions.happen(kind)
            let answer = try await waiting
            #expect(answer.status == 200)
            #expect(ids(answer) == ["2"])
            #expect(answer.json["events"]?.arrayValue?.first?["type"]?.stringValue == kind.rawValue)
            #expect(answer.json["events"]?.arrayValue?.first?["intent"]?["intentIdentifier"] != nil)
            #expect(store.payments.looks == 0, "transactions are another log")
        }
    }

    @Test func `a wait for intents says where now is, and that there is no such type`() async throws {
        try await GatewayHarness.run { store in
            let now = try await store.send(.GET, "\(path)?type=intentStarted&timeout=0", token: key)
            #expect(now.json == .object(["events": .array([]), "after": "0"]))
            let wrong = try await store.send(.GET, "\(path)?type=intentLost", token: key)
            #expect(wrong.status == 400)
            #expect(wrong.json["path"] == "query type")
        }
    }

    @Test func `the graceful end of the process does not wait for events`() async throws {
        let path = path
        let key = key
        let answer = try await GatewayHarness.run(ticking: true) { store in
            let waiting = Task {
                try await RawConnection.exchange(
                    store, "GET \(path)?timeout=60s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\n\r\n")
            }
            try await eventually("the gateway listens") { store.payments.looks > 0 }
            return waiting
        }
        #expect(try await answer.value.hasPrefix("HTTP/1.1 503"))
    }

    @Test func `sixty-four may wait and no more`() async throws {
        try await GatewayHarness.run { store in
            let signals = try (0..<EventWaits.waitersMax).map { _ in
                try store.gateway.operators.eventWaits.enter(.request)
            }
            let answer = try await store.send(.GET, path, token: key)
            #expect(answer.status == 429)
            #expect(answer.code == "rateLimited")
            signals.forEach(store.gateway.operators.eventWaits.leave)
            #expect(try await store.send(.GET, "\(path)?timeout=0", token: key).status == 200)
        }
    }

    @Test func `PaymentQueue may be away for a while, but not at the end`() async throws {
        try await GatewayHarness.run { store in
            let back = try await wait(store, "?timeout=30s") {
                store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
                store.payments.happen(.purchased)
                store.payments.contents.withLock { $0.failure = nil }
            }
            #expect(ids(back) == ["1"])
            store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            // On a busy machine the time is up before the question was repeated often enough: 504.
            let away = try await store.send(.GET, path, token: key).status
            #expect([503, 504].contains(away))
            store.payments.contents.withLock { $0.failure = nil }
            let gone = try await wait(store, "?timeout=1500ms") {
                store.payments.contents.withLock { $0.failure = StoreError(.serviceUnavailable, "away") }
            }
            #expect(gone.status == 503)
            store.gatewayClient.disconnect()
            #expect(try await store.send(.GET, path, token: key).status == 503)
            store.gatewayClient.reconnect()
        }
    }
}

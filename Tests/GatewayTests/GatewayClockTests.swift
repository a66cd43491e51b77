import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// The sandbox clock over HTTP.
@Suite struct GatewayClockTests {
    private static let path = "/admin/v1/apps/com.example.app/clock"

    private func move(_ store: GatewayHarness, _ body: String, key: String? = "m1") async throws -> Answer {
        try await store.send(
            .POST, "\(Self.path)/advance", token: Sample.adminKey,
            headers: key.map { [("Idempotency-Key", $0)] } ?? [], body: body)
    }

    private func set(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await store.send(.PUT, Self.path, token: Sample.adminKey, body: body)
    }

    @Test func `a clock is shown, and what a setting leaves out stays`() async throws {
        try await GatewayHarness.run { store in
            let before = try await store.send(.GET, Self.path, token: Sample.adminKey)
            #expect(before.status == 200)
            #expect(before.json["rate"] == "realTime")
            let frozen = try await set(store, #"{"frozen":true}"#)
            #expect(frozen.json["frozen"] == true)
            #expect(frozen.json["now"] == before.json["now"])
            let moved = try await set(store, #"{"now":"2026-12-21T10:00:00.000Z","rate":720.5}"#)
            #expect(moved.json["now"] == "2026-12-21T10:00:00.000Z")
            #expect(moved.json["rate"] == .number("720.5"))
            #expect(moved.json["frozen"] == true)
            let named = try await set(store, #"{"rate":"oneRenewalEveryThirtySeconds"}"#)
            #expect(named.json["rate"] == "oneRenewalEveryThirtySeconds")
            #expect(try await set(store, "{}").json["rate"] == named.json["rate"])
        }
    }

    @Test(arguments: [
        (#"{"rate":"sometimes"}"#, nil), (#"{"rate":0}"#, nil), (#"{"rate":10000001}"#, nil), (#"{"rate":true}"#, nil),
        (#"{"now":"yesterday"}"#, nil), (#"{"now":"1999-12-31T23:59:59.999Z"}"#, "$.now"),
        (#"{"now":"2200-01-01T00:00:00.000Z"}"#, "$.now"), (#"{"frozen":"yes"}"#, nil), (#"{"speed":2}"#, "$.speed"),
    ])
    func `a wrong setting is 400 and sets nothing`(body: String, place: String?) async throws {
        try await GatewayHarness.run { store in
            let answer = try await set(store, body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
            if let place { #expect(answer.json["path"]?.stringValue == place) }
            #expect(store.payments.contents.withLock { $0.subscribing.clock.epoch } == 1)
        }
    }

    @Test(arguments: ["2000-01-01T00:00:00.000Z", "2199-12-31T23:59:59.999Z"])
    func `the first and the last instant a clock may show`(now: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await set(store, #"{"now":"\#(now)"}"#)
            #expect(answer.json["now"]?.stringValue == now)
        }
    }

    @Test func `a move that is over is 200 with what happened on the way`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await move(store, #"{"by":"3mo"}"#)
            #expect(answer.status == 200)
            #expect(answer.json["isFinished"] == true)
            #expect(answer.json["eventCount"]?.intValue == 1)
            #expect(answer.json["events"]?.arrayValue?.first?["kind"] == "renewed")
            #expect(answer.json["progress"] == nil)
            #expect(answer.headers.first(name: "Location") == nil)
            let asked = store.payments.contents.withLock { $0.subscribing.moves }
            #expect(asked == [AdvanceClockRequest(bundleId: Sample.bundleId, requestKey: "m1", by: "3mo")])
        }
    }

    @Test func `a move that goes on is 202 and says where to look`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.subscribing.movesAtOnce = false }
            let answer = try await move(store, #"{"next":1000}"#, key: "long")
            #expect(answer.status == 202)
            let progress = try #require(answer.json["progress"]?.stringValue)
            #expect(progress == "\(Self.path)/advances/a_long")
            #expect(answer.headers.first(name: "Location") == progress)
            let sofar = try await store.send(.GET, progress, token: Sample.adminKey)
            #expect(sofar.status == 200)
            #expect(sofar.json["isFinished"] == false)
            #expect(sofar.json["progress"]?.stringValue == progress)
            store.payments.contents.withLock { $0.subscribing.movesAtOnce = true }
            let over = try await store.send(.GET, progress, token: Sample.adminKey)
            #expect(over.json["isFinished"] == true)
            #expect(over.json["progress"] == nil)
        }
    }

    @Test func `an unknown move is 404, and so is another app's`() async throws {
        try await GatewayHarness.run { store in
            _ = try await move(store, #"{"next":1}"#)
            for path in ["\(Self.path)/advances/a_none", "/admin/v1/apps/com.example.other/clock/advances/a_m1"] {
                #expect(try await store.send(.GET, path, token: Sample.adminKey).status == 404)
            }
        }
    }

    @Test(arguments: [
        ("{}", "$"), (#"{"by":"1d","next":1}"#, "$"), (#"{"by":null}"#, "$"), (#"{"by":"soon"}"#, "$.by"),
        (#"{"by":"101y"}"#, "$.by"), (#"{"by":"-1d"}"#, "$.by"), (#"{"by":""}"#, "$.by"), (#"{"next":0}"#, "$.next"),
        (#"{"next":1001}"#, "$.next"), (#"{"to":"2200-01-01T00:00:00.000Z"}"#, "$.to"), (#"{"until":"x"}"#, "$.until"),
    ])
    func `a move has one measure, and one that fits`(body: String, place: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await move(store, body)
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == place)
            #expect(store.payments.contents.withLock { $0.subscribing.moves.isEmpty })
        }
    }

    @Test func `a move needs a key`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await move(store, #"{"by":"1d"}"#, key: nil)
            #expect(answer.status == 400)
            #expect(answer.code == "idempotencyKeyInvalid")
        }
    }

    @Test func `an app that was never imported has no clock`() async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.none/clock"
            #expect(try await store.send(.GET, path, token: Sample.adminKey).status == 404)
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: "{}").status == 404)
            let move = try await store.send(
                .POST, "\(path)/advance", token: Sample.adminKey, headers: [("Idempotency-Key", "m1")],
                body: #"{"by":"1d"}"#)
            #expect(move.status == 404)
        }
    }

    @Test func `an unanswered move is repeated with its key`() async throws {
        try await GatewayHarness.run { store in
            store.payments.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            for answer in [try await move(store, #"{"by":"1d"}"#), try await set(store, "{}")] {
                #expect(answer.status == 504)
                #expect(answer.code == "outcomeUnknown")
                #expect(answer.json["retryable"] == true)
            }
        }
    }
}

import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// `storebus time`: what is asked of an app's clock, and what is said of its moves.
@Suite struct CommandTimeTests {
    private static let clock = "/admin/v1/apps/com.example.app/clock"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    // MARK: The clock

    @Test func `the status says what time it is, how fast it runs and what is due`() async {
        let (status, said) = await FakeStore().run("time", "status")
        #expect(status == .success)
        #expect(
            said.result == """
                app    com.example.app
                clock  2026-11-21 10:00:00Z, real time
                next   2026-11-28 10:00:04Z, in 7 days

                """)
        #expect(said.narration == "next: storebus time next\n")
        let store = FakeStore()
        store.answer("GET \(Self.clock)", FakeStore.clock(rate: 720, isFrozen: true, nextEvent: .null))
        let frozen = await store.run("time", "status").said
        #expect(frozen.result.contains("clock  2026-11-21 10:00:00Z, frozen\nnext   nothing is due\n"))
    }

    @Test(arguments: [
        ("one-renewal-every-thirty-seconds", JSONValue.string("oneRenewalEveryThirtySeconds")),
        ("oneSecondIsOneDay", "oneSecondIsOneDay"), ("realTime", "realTime"), ("real-time", "realTime"),
        ("720", 720), ("0.5", .number("0.5")), ("30s=1mo", 86_400), ("1h=1y", 8_760), ("1d=1d", 1),
        ("10s=P1W", 60_480),
    ])
    func `a rate is a name of StoreKit's, so much real time for so much of the store's, or a factor`(
        text: String, sent: JSONValue
    ) async throws {
        let store = FakeStore()
        let (status, _) = await store.run("time", "rate", text)
        #expect(status == .success)
        #expect(try body(store.requests(.put, Self.clock).first) == ["rate": sent, "frozen": false])
    }

    @Test func `every rate of StoreKit's is offered as a command line spells it, and understood`() {
        for (word, rate) in zip(RateText.words, SubscriptionRenewalRate.allCases) {
            #expect(RateText.rate(word) == .named(rate), "\(word)")
        }
    }

    @Test(arguments: [
        ["time", "rate", "fast"], ["time", "rate", "0"], ["time", "rate", "1mo="], ["time", "rate", "30s=1mo=1"],
        ["time", "rate", "1s=100y"], ["time", "advance", "3 months"], ["time", "advance", "0d"],
        ["time", "to", "yesterday"], ["time", "to", "2027-02-30"], ["time", "next", "0"], ["time", "next", "1001"],
        ["up", "--time-rate", "one-renewal"],
    ])
    func `what cannot be is refused before anything is sent`(arguments: [String]) async {
        let store = FakeStore()
        let (status, said) = await Recorder.run(
            arguments, variables: ["STOREBUS_URL": "http://store"], transport: store)
        #expect(status == .usage, "\(said.narration)")
        #expect(store.requests.isEmpty)
    }

    @Test func `a rate that is misspelt is answered with the one that was meant`() async {
        let (_, said) = await FakeStore().run("time", "rate", "one-renewal-every-minut")
        #expect(said.narration.contains("did you mean 'one-renewal-every-minute'?"))
    }

    @Test func `a clock is frozen, let run, and set back only when that is said`() async throws {
        let store = FakeStore()
        for command in [["freeze"], ["real"], ["to", "2026-01-01 08:00:00Z", "--back"]] {
            let (status, _) = await Recorder.run(
                ["time"] + command, variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"],
                transport: store)
            #expect(status == .success)
        }
        let sent = try store.requests(.put, Self.clock).map { try body($0) }
        #expect(
            sent == [["frozen": true], ["rate": "realTime", "frozen": false], ["now": "2026-01-01T08:00:00.000Z"]])
        store.answer("POST \(Self.clock)/advance", status: 400, StubTransport.problem(400, .requestInvalid))
        let (status, said) = await store.run("time", "to", "2026-01-01")
        #expect(status == .usage)
        #expect(said.narration.contains("set it back: storebus time to 2026-01-01T00:00:00.000Z --back"))
    }

    // MARK: Moves

    @Test func `a move says from when to when, what has happened and what is due next`() async throws {
        let store = FakeStore()
        store.answer("GET \(Self.clock)", FakeStore.clock(nextEvent: "2027-02-28T10:00:04.000Z"))
        let (status, said) = await store.run("time", "advance", "3mo")
        #expect(status == .success)
        #expect(
            said.result == """
                2026-11-21 → 2027-02-21   2 renewals
                  2026-11-28  renewed  alice  pro.monthly  9.99 USD  until 2026-12-28
                  2026-12-28  renewed  alice  pro.monthly  9.99 USD  until 2027-01-28
                next event  2027-02-28 10:00:04Z

                """)
        #expect(said.narration == "next: storebus sub timeline 2000000000000001\n")
        let request = try #require(store.requests(.post, "\(Self.clock)/advance").first)
        #expect(try body(request) == ["by": "3mo"])
        #expect(request.headers["Idempotency-Key"]?.hasPrefix("cli-") == true)
    }

    private static let distances: [(arguments: [String], sent: JSONValue)] = [
        (["to", "2027-02-21"], ["to": "2027-02-21T00:00:00.000Z"]),
        (["to", "2027-02-21T10:00:00Z"], ["to": "2027-02-21T10:00:00.000Z"]), (["next"], ["next": 1]),
        (["next", "12"], ["next": 12]), (["advance", "P1Y"], ["by": "P1Y"]),
    ]

    @Test(arguments: distances)
    func `each way to say how far is one member of the request`(arguments: [String], sent: JSONValue) async throws {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["time"] + arguments + ["--idempotency-key", "k"],
            variables: ["STOREBUS_URL": "http://store", "STOREBUS_ADMIN_KEY": "a"], transport: store)
        #expect(status == .success)
        let request = try #require(store.requests(.post, "\(Self.clock)/advance").first)
        #expect(try body(request) == sent)
        #expect(request.headers["Idempotency-Key"] == "k")
    }

    private func unfinished(_ remaining: Int, progress: String? = "/progress/a_1") -> JSONValue {
        var advance = Subscribed.advance
        advance.isFinished = false
        advance.remaining = remaining
        var members = JSONText.value(advance).objectValue ?? [:]
        if let progress { members["progress"] = .string(progress) }
        return .object(members)
    }

    @Test func `a move that takes longer is followed to its end, and a terminal shows how far it is`() async {
        let store = FakeStore()
        store.answer("POST \(Self.clock)/advance", status: 202, unfinished(90_000))
        store.answer("GET /progress/a_1") { [self, store] _ in
            let isLast = store.requests(.get, "/progress/a_1").count == 3
            return (200, isLast ? JSONText.value(Subscribed.advance) : unfinished(40_000))
        }
        let terminal = Terminal(isInput: true, isOutput: true, isError: true)
        let (status, said) = await store.run("time", "advance", "3mo", terminal: terminal)
        #expect(status == .success)
        #expect(store.requests(.get, "/progress/a_1").count == 3)
        #expect(said.narration.contains("2 events so far, 90000 subscriptions left"))
        #expect(said.narration.contains("40000 subscriptions left"))
        #expect(said.result.hasPrefix("2026-11-21 → 2027-02-21"))
    }

    @Test func `a move whose progress has no path is asked for again with the same key`() async {
        let store = FakeStore()
        store.answer("POST \(Self.clock)/advance") { [self, store] _ in
            let isFirst = store.requests(.post, "\(Self.clock)/advance").count == 1
            return isFirst ? (202, unfinished(1, progress: nil)) : (200, JSONText.value(Subscribed.advance))
        }
        #expect(await store.run("time", "advance", "3mo").status == .success)
        let keys = Set(store.requests(.post, "\(Self.clock)/advance").map { $0.headers["Idempotency-Key"] })
        #expect(keys.count == 1)
    }

    @Test func `a move that is not done in time says so, and that it goes on`() async {
        let store = FakeStore()
        store.answer("POST \(Self.clock)/advance", status: 202, unfinished(7))
        store.answer("GET /progress/a_1", unfinished(7))
        let (status, said) = await store.run("time", "advance", "3mo", "--timeout", "300ms")
        #expect(status == .refused)
        #expect(said.narration.contains("[notInTime]"))
        #expect(said.narration.contains("the store goes on: storebus time status"))
    }

    @Test func `what was cut is counted and not summed up by kind`() async {
        let store = FakeStore()
        var advance = Subscribed.advance
        advance.eventCount = 2_500
        advance.truncated = true
        store.answer("POST \(Self.clock)/advance", JSONText.value(advance))
        let said = await store.run("time", "advance", "1y").said
        #expect(said.result.contains("   2500 events\n"))
        #expect(said.result.contains("… and 2498 more"))
    }

    @Test func `a move within a day shows times, and one in which nothing was due says so`() async {
        let store = FakeStore()
        var advance = Subscribed.advance
        advance.to = advance.from + .seconds(3600)
        advance.events = []
        advance.eventCount = 0
        store.answer("POST \(Self.clock)/advance", JSONText.value(advance))
        let said = await store.run("time", "advance", "1h").said
        #expect(said.result.hasPrefix("2026-11-21 10:00:00Z → 2026-11-21 11:00:00Z   nothing was due\n"))
    }
}

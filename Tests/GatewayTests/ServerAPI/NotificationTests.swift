import EventLoop
import NIOHTTP1
import StoreHTTP
import StoreModels
import Testing

/// Goal: operators see and steer the notifications of an app's server.
@Suite struct NotificationTests {
    private static let path = "/admin/v1/apps/com.example.app/notifications"

    private func send(
        _ store: GatewayHarness, _ method: HTTPMethod, _ path: String = "", _ body: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        try await store.send(method, Self.path + path, token: Sample.adminKey, headers: headers, body: body)
    }

    private func put(_ store: GatewayHarness, _ body: String) async throws -> Answer {
        try await send(store, .PUT, "/endpoint", body)
    }

    // MARK: Endpoints

    @Test func `an endpoint is set, shown and removed`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await send(store, .GET, "/endpoint").json == .object(["url": .null]))
            let set = try await put(
                store, #"{"url":"http://localhost:8080/Ä?x=%20","retry":"fast","timeoutMs":100,"shuffle":true}"#)
            #expect(set.status == 200)
            let expected: JSONValue = .object([
                "url": "http://localhost:8080/Ä?x=%20", "retry": "fast", "timeoutMs": .integer(100), "shuffle": true,
            ])
            #expect(set.json == expected)
            #expect(try await send(store, .GET, "/endpoint").json == expected)
            #expect(try await send(store, .DELETE, "/endpoint").status == 204)
            #expect(try await send(store, .GET, "/endpoint").json == .object(["url": .null]))
        }
    }

    @Test(arguments: [
        (#"{"environment":"Sandbox"}"#, "sandbox"), (#"{"environment":"Production","appAppleId":1}"#, "apple"),
        (#"{"environment":"LocalTesting"}"#, "sandbox"), (#"{"environment":"Xcode"}"#, "sandbox"),
    ])
    func `without retry the environment decides how often`(settings: String, retry: String) async throws {
        try await GatewayHarness.run { store in
            let path = "/admin/v1/apps/com.example.app/server-api"
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: settings).status == 200)
            let set = try await put(store, #"{"url":"listen:"}"#)
            let expected: JSONValue = .object([
                "url": "listen:", "retry": .string(retry), "retryFollowsEnvironment": true,
                "timeoutMs": .integer(5000),
            ])
            #expect(set.json == expected)
            // In whichever order they are set.
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: "{}").status == 200)
            #expect(try await send(store, .GET, "/endpoint").json["retry"] == "sandbox")
            #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: settings).status == 200)
            #expect(try await send(store, .GET, "/endpoint").json == expected)
        }
    }

    @Test func `a retry that the operator has chosen stays in every environment`() async throws {
        try await GatewayHarness.run { store in
            _ = try await put(store, #"{"url":"listen:","retry":"fast"}"#)
            for settings in [#"{"environment":"Production","appAppleId":1}"#, "{}"] {
                let path = "/admin/v1/apps/com.example.app/server-api"
                #expect(try await store.send(.PUT, path, token: Sample.adminKey, body: settings).status == 200)
                #expect(try await send(store, .GET, "/endpoint").json["retry"] == "fast")
            }
        }
    }

    @Test(arguments: [
        (#"{"url":"ftp://a"}"#, 400, "urlInvalid"), (#"{}"#, 400, "requestInvalid"),
        (#"{"url":"listen:","retry":"never"}"#, 400, "requestInvalid"),
        (#"{"url":"listen:","timeoutMs":99}"#, 400, "requestInvalid"),
        (#"{"url":"listen:","timeoutMs":60001}"#, 400, "requestInvalid"),
        (#"{"url":"listen:","colour":1}"#, 400, "requestInvalid"),
    ])
    func `an endpoint that is none is refused`(body: String, status: Int, code: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await put(store, body)
            #expect(answer.status == status)
            #expect(answer.code == code)
            #expect(store.appStore.contents.withLock { $0.endpoint } == nil)
        }
    }

    // MARK: Notifications

    @Test func `a list is newest first, without payloads, and narrowed by the query`() async throws {
        try await GatewayHarness.run { store in
            let made = store.appStore.deliver(3)
            let page = try await send(
                store, .GET,
                "?notificationType=DID_RENEW&subtype=BILLING_RECOVERY&account=alice&state=delivered&after=n_9&limit=2")
            let shown = page.json["notifications"]?.arrayValue ?? []
            #expect(shown.map { $0["notificationUUID"]?.stringValue } == [made[2], made[1]])
            #expect(shown.allSatisfy { $0["signedPayload"] == nil })
            #expect(page.json["after"] == "n_1")
            var asked = NotificationsRequest(bundleId: Sample.bundleId, after: "n_9", limit: 2)
            asked.notificationType = .didRenew
            asked.subtype = .billingRecovery
            asked.account = "alice"
            asked.state = .delivered
            #expect(store.appStore.contents.withLock { $0.lists } == [asked])
            #expect(try await send(store, .GET).json["notifications"]?.arrayValue?.count == 3)
        }
    }

    @Test(arguments: [
        ("notificationType=did_renew", "query notificationType"), ("subtype=NONE", "query subtype"),
        ("state=done", "query state"), ("limit=0", "query limit"), ("limit=101", "query limit"),
        ("account=", "query account"), ("type=TEST", "query type"),
    ])
    func `a query that selects nothing known is refused`(query: String, place: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await send(store, .GET, "?\(query)")
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == place)
            #expect(store.appStore.contents.withLock { $0.lists.isEmpty })
        }
    }

    @Test func `a notification is read and sent again by its UUID in any spelling`() async throws {
        try await GatewayHarness.run { store in
            let made = store.appStore.deliver()[0]
            for name in [made, made.uppercased()] {
                let found = try await send(store, .GET, "/\(name)")
                #expect(found.json["notificationUUID"]?.stringValue == made)
                #expect(found.json["signedPayload"] == "e30.1.e30")
            }
            let refused = try await send(store, .POST, "/\(made)/resend")
            #expect(refused.status == 409)
            #expect(refused.code == "transactionStateInvalid")
            _ = try await put(store, #"{"url":"listen:"}"#)
            let sent = try await send(store, .POST, "/\(made.uppercased())/resend")
            #expect(sent.json["attempts"]?.arrayValue?.count == 2)
        }
    }

    @Test func `a notification that is none, or another app's, is not found`() async throws {
        try await GatewayHarness.run { store in
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            let made = store.appStore.deliver()[0]
            let unknown = FakeAppStoreServer.uuid(404)
            for name in [unknown, "x", "\(made)0", made.replacing("-", with: ""), "{\(made)}"] {
                let found = try await send(store, .GET, "/\(PercentEncoding.encode(name))")
                #expect(found.status == 404, "\(name)")
                #expect(found.code == "notFound")
                #expect(try await send(store, .POST, "/\(PercentEncoding.encode(name))/resend").status == 404)
            }
            let other = "/admin/v1/apps/com.example.two/notifications/\(made)"
            #expect(try await store.send(.GET, other, token: Sample.adminKey).status == 404)
            let none = "/admin/v1/apps/com.example.none/notifications"
            for path in ["", "/endpoint", "/settled", "/\(made)"] {
                #expect(try await store.send(.GET, none + path, token: Sample.adminKey).status == 404, "\(path)")
            }
        }
    }

    @Test func `waiting is bounded by the query, AppStoreServer and the client's deadline`() async throws {
        try await GatewayHarness.run { store in
            let settled = try await send(store, .GET, "/settled?timeout=1500ms")
            #expect(
                settled.json
                    == .object([
                        "settled": true, "pending": .integer(0), "made": .integer(0), "delivered": .integer(0),
                    ]))
            _ = try await send(store, .GET, "/settled?timeout=1m")
            store.appStore.contents.withLock { $0.isSettled = false }
            let late = try await send(store, .GET, "/settled", headers: [("Sb-Timeout", "3000")])
            #expect(late.status == 200)
            #expect(late.json["settled"] == false)
            let waits = store.appStore.contents.withLock { $0.waits.map(\.waitMs) }
            #expect(waits.prefix(2) == [1500, 20_000])
            #expect((0...2500).contains(waits[2]))
            #expect(try await send(store, .GET, "/settled?timeout=2m").status == 400)
        }
    }

    // MARK: Listeners

    @Test func `a listener leases notifications and reports what became of them`() async throws {
        try await GatewayHarness.run { store in
            let made = store.appStore.deliver(3)
            let refused = try await send(store, .POST, "/lease", #"{"max":1,"waitMs":0}"#)
            #expect(refused.status == 409)
            _ = try await put(store, #"{"url":"listen:"}"#)
            let lease = try await send(store, .POST, "/lease", #"{"max":2,"waitMs":300}"#)
            #expect(lease.status == 200)
            let attempts = lease.json["attempts"]?.arrayValue ?? []
            #expect(attempts.map { $0["notificationUUID"]?.stringValue } == Array(made.prefix(2)))
            #expect(attempts.first?["signedPayload"] == "e30.1.e30")
            #expect(
                store.appStore.contents.withLock { $0.leases.last }
                    == LeaseNotificationsRequest(bundleId: Sample.bundleId, max: 2, waitMs: 300))
            let identifier = try #require(attempts.first?["attemptIdentifier"]?.stringValue)
            let report = try await send(
                store, .POST, "/attempts/\(identifier)",
                #"{"sendAttemptResult":"UNSUCCESSFUL_HTTP_RESPONSE_CODE","httpStatus":500,"durationMs":7,"bodyStart":"no"}"#
            )
            #expect(report.status == 204)
            var expected = ReportAttemptRequest(
                bundleId: Sample.bundleId, attemptIdentifier: identifier, sendAttemptResult: .unsuccessfulResponse)
            (expected.httpStatus, expected.durationMs, expected.bodyStart) = (500, 7, "no")
            #expect(store.appStore.contents.withLock { $0.reports } == [expected])
            #expect(
                try await send(store, .POST, "/attempts/none", #"{"sendAttemptResult":"SUCCESS"}"#).status == 404)
        }
    }

    @Test(arguments: [
        ("/lease", #"{"max":0,"waitMs":0}"#, "$.max"), ("/lease", #"{"max":33,"waitMs":0}"#, "$.max"),
        ("/lease", #"{"max":1,"waitMs":-1}"#, "$.waitMs"), ("/lease", #"{"max":1,"waitMs":20001}"#, "$.waitMs"),
        ("/attempts/a", #"{"sendAttemptResult":"OK"}"#, "$.sendAttemptResult"),
        ("/attempts/a", #"{"sendAttemptResult":"OTHER","httpStatus":99}"#, "$.httpStatus"),
        ("/attempts/a", #"{"sendAttemptResult":"OTHER","durationMs":-1}"#, "$.durationMs"),
        (
            "/attempts/a", #"{"sendAttemptResult":"OTHER","bodyStart":"\#(String(repeating: "x", count: 1025))"}"#,
            "$.bodyStart"
        ),
    ])
    func `a listener's request that is out of bounds is refused`(path: String, body: String, place: String) async throws
    {
        try await GatewayHarness.run { store in
            let answer = try await send(store, .POST, path, body)
            #expect(answer.status == 400)
            #expect(answer.json["path"]?.stringValue == place)
        }
    }

    // MARK: Away

    @Test func `without AppStoreServer every path is 503`() async throws {
        try await GatewayHarness.run { store in
            store.appStore.service.goAway()
            let uuid = FakeAppStoreServer.uuid(1)
            let requests: [(HTTPMethod, String, String?)] = [
                (.GET, "", nil), (.GET, "/endpoint", nil), (.PUT, "/endpoint", #"{"url":"listen:"}"#),
                (.DELETE, "/endpoint", nil), (.GET, "/\(uuid)", nil), (.POST, "/\(uuid)/resend", nil),
                (.GET, "/settled?timeout=0", nil), (.POST, "/trigger", #"{"notificationType":"TEST"}"#),
                (.POST, "/lease", #"{"max":1,"waitMs":0}"#),
                (.POST, "/attempts/a", #"{"sendAttemptResult":"SUCCESS"}"#),
            ]
            for (method, path, body) in requests {
                let answer = try await send(store, method, path, body)
                #expect(answer.status == 503, "\(method) \(path)")
                #expect(answer.code == "serviceUnavailable", "\(method) \(path)")
            }
            store.appStore.service.comeBack()
        }
    }

    @Test func `a notification that was perhaps made is an unknown outcome`() async throws {
        try await GatewayHarness.run { store in
            store.appStore.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            for (path, body) in [
                ("/trigger", #"{"notificationType":"TEST"}"#), ("/lease", #"{"max":1,"waitMs":0}"#),
                ("/\(FakeAppStoreServer.uuid(1))/resend", nil),
            ] {
                let answer = try await send(store, .POST, path, body)
                #expect(answer.status == 504, "\(path)")
                #expect(answer.code == "outcomeUnknown", "\(path)")
            }
        }
    }

    // MARK: Clocks

    private func advance(_ store: GatewayHarness, _ key: String) async throws -> Answer {
        try await store.send(
            .POST, "/admin/v1/apps/com.example.app/clock/advance", token: Sample.adminKey,
            headers: [("Idempotency-Key", key), ("Sb-Timeout", "4000")], body: #"{"by":"1d"}"#)
    }

    @Test func `a move of the clock that is over waits for its notifications`() async throws {
        try await GatewayHarness.run { store in
            #expect(try await advance(store, "m1").status == 200)
            let wait = try #require(store.appStore.contents.withLock { $0.waits.first })
            #expect(wait.bundleId == Sample.bundleId)
            #expect((1...3500).contains(wait.waitMs))
            store.appStore.contents.withLock { $0.isSettled = false }
            #expect(try await advance(store, "m2").status == 200)
            store.payments.contents.withLock { $0.subscribing.movesAtOnce = false }
            #expect(try await advance(store, "m3").status == 202)
            #expect(store.appStore.contents.withLock { $0.waits.count } == 2)
        }
    }

    @Test func `a move of the clock needs no AppStoreServer`() async throws {
        try await GatewayHarness.run { store in
            store.appStore.contents.withLock { $0.failure = StoreError(.internal, "broken") }
            let broken = try await advance(store, "m1")
            #expect(broken.status == 200)
            store.appStore.service.goAway()
            let away = try await advance(store, "m2")
            #expect(away.status == 200)
            store.appStore.service.comeBack()
        }
    }
}

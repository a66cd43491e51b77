import EventLoop
import NIOHTTP1
import StoreModels
import Testing

/// Goal: an app's server reads its notifications as Apple's server shows them, with Apple's errors.
@Suite struct ServerNotificationTests {
    private static let trial = "2000000000000001"
    private static let day: Int64 = 24 * 3600 * 1000
    /// What the app's clock shows.
    private static let now = FakeAppStoreServer.now.milliseconds
    /// Members that select everything.
    private static let all = #""startDate":\#(now - day),"endDate":\#(now + day)"#

    /// A store of Alice's samples whose clock shows a fixed instant, and a token of the app's server.
    private func withSamples(_ body: @Sendable (GatewayHarness, String) async throws -> Void) async throws {
        try await GatewayHarness.run { store in
            store.payments.sellSamples()
            try await set(store, Self.now)
            try await body(store, try await store.serverToken().text())
        }
    }

    private func set(_ store: GatewayHarness, _ now: Int64) async throws {
        let body = #"{"now":"\#(Timestamp(milliseconds: now))","frozen":true}"#
        let answer = try await store.send(
            .PUT, "/admin/v1/apps/com.example.app/clock", token: Sample.adminKey, body: body)
        #expect(answer.status == 200)
    }

    private func send(
        _ store: GatewayHarness, _ method: HTTPMethod, _ path: String, _ token: String, _ body: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> Answer {
        let answer = try await store.send(
            method, "/inApps/v1/notifications/\(path)", token: token, headers: headers, body: body)
        #expect(answer.headers.first(name: "Content-Type") == "application/json", "\(path)")
        return answer
    }

    private func history(
        _ store: GatewayHarness, _ token: String, _ body: String, page: String? = nil
    ) async throws -> Answer {
        try await send(store, .POST, "history\(page.map { "?paginationToken=\($0)" } ?? "")", token, body)
    }

    private func refuses(_ answer: Answer, _ code: Int, _ comment: String = "") {
        #expect(answer.status == code / 10_000, "\(comment): \(answer.text)")
        #expect(answer.json["errorCode"] == .integer(code), "\(comment): \(answer.text)")
        #expect(answer.json["errorMessage"]?.stringValue?.isEmpty == false, "\(comment)")
    }

    // MARK: Tests

    @Test func `a test notification has a status after its first attempt`() async throws {
        try await withSamples { store, token in
            refuses(try await send(store, .POST, "test", token), 4_040_007)
            store.appStore.contents.withLock { $0.endpoint = NotificationEndpoint(url: "listen:", retry: .sandbox) }
            let made = try await send(store, .POST, "test", token)
            #expect(made.status == 200)
            let name = try #require(made.json["testNotificationToken"]?.stringValue)
            refuses(try await send(store, .GET, "test/\(name)", token), 4_040_008, "under way")
            store.appStore.contents.withLock { $0.notifications[0].attempts[0].sendAttemptResult = .timedOut }
            for spelling in [name, name.uppercased()] {
                let status = try await send(store, .GET, "test/\(spelling)", token)
                #expect(status.status == 200)
                #expect(
                    status.json
                        == .object([
                            "signedPayload": "e30.1.e30", "firstSendAttemptResult": "TIMED_OUT",
                            "sendAttempts": .array([
                                .object([
                                    "attemptDate": .integer(Self.now + 1000), "sendAttemptResult": "TIMED_OUT",
                                ])
                            ]),
                        ]))
            }
        }
    }

    @Test func `a token that is none, or another's, has Apple's error`() async throws {
        try await withSamples { store, token in
            let renewal = store.appStore.deliver()[0]
            let test = store.appStore.deliver(1, .test)[0]
            #expect(try await send(store, .GET, "test/\(test)_\(Self.now + 2000)", token).status == 200)
            for name in [
                "x", test, "\(test)_", "\(test)_x", "\(test)_-1", "_1", "\(test)_1_1", "\(test)0_1",
                test.replacing("-", with: "") + "_1",
            ] { refuses(try await send(store, .GET, "test/\(name)", token), 4_000_020, name) }
            for name in [
                "\(FakeAppStoreServer.uuid(404))_\(Self.now)", "\(test)_\(Self.now)", "\(renewal)_\(Self.now + 1000)",
            ] { refuses(try await send(store, .GET, "test/\(name)", token), 4_040_008, name) }
            store.catalog.contents.withLock {
                $0.apps["com.example.two"] = App(
                    bundleId: "com.example.two", settings: .init(name: "2"), catalogVersion: 1)
            }
            let other = try await store.serverToken("com.example.two").text()
            refuses(try await send(store, .GET, "test/\(test)_\(Self.now + 2000)", other), 4_040_008)
            refuses(try await send(store, .POST, "test", other), 4_040_007)
        }
    }

    @Test func `an app of another environment than the host name's has no notifications there`() async throws {
        try await withSamples { store, token in
            let production = [("Host", "api.storekit.apple.com")]
            store.appStore.contents.withLock { $0.endpoint = NotificationEndpoint(url: "listen:", retry: .sandbox) }
            let test = store.appStore.deliver(1, .test)[0]
            refuses(try await send(store, .POST, "test", token, headers: production), 4_040_007)
            refuses(
                try await send(store, .GET, "test/\(test)_\(Self.now + 1000)", token, headers: production), 4_040_008)
            refuses(
                try await send(store, .POST, "history", token, "{\(Self.all)}", headers: production), 4_040_010)
        }
    }

    // MARK: History

    @Test func `pages of twenty follow each other by their token`() async throws {
        try await withSamples { store, token in
            store.appStore.deliver(45)
            var (read, sizes): ([String], [Int]) = ([], [])
            var page: String?
            repeat {
                let answer = try await history(store, token, "{\(Self.all)}", page: page)
                #expect(answer.status == 200)
                let items = answer.json["notificationHistory"]?.arrayValue ?? []
                read += items.compactMap { $0["signedPayload"]?.stringValue }
                sizes.append(items.count)
                page = answer.json["paginationToken"]?.stringValue
                #expect(answer.json["hasMore"] == .bool(page != nil))
                #expect(items.first?["sendAttempts"]?.arrayValue?.first?["sendAttemptResult"] == "SUCCESS")
            } while page != nil
            #expect(sizes == [20, 20, 5])
            #expect(read == (1...45).map { "e30.\($0).e30" })
            let asked = store.appStore.contents.withLock { $0.histories }
            #expect(asked.allSatisfy { $0.limit == 20 && $0.startDate.milliseconds == Self.now - Self.day })
        }
    }

    @Test func `a pagination token is of one query, and good for a day of the app's clock`() async throws {
        try await withSamples { store, token in
            store.appStore.deliver(25)
            let first = try await history(store, token, "{\(Self.all)}")
            let page = try #require(first.json["paginationToken"]?.stringValue)
            let again = try await history(
                store, token, "{\(Self.all),\"unknown\":1,\"transactionId\":null}", page: page)
            #expect(again.json["notificationHistory"]?.arrayValue?.count == 5)
            let others = [
                #""startDate":\#(Self.now - Self.day),"endDate":\#(Self.now + Self.day + 1)"#,
                Self.all + #","onlyFailures":true"#, Self.all + #","notificationType":"DID_RENEW""#,
                Self.all + #","transactionId":"\#(Self.trial)""#,
            ]
            for body in others {
                refuses(try await history(store, token, "{\(body)}", page: page), 4_000_014, body)
            }
            let parts = page.split(separator: "_", maxSplits: 2)
            for text in [
                "", "x", "\(page)*", "-\(page)", "\(parts[0])_\(parts[1])", "\(parts[0])_\(parts[1])_",
                "\(parts[0])_\(parts[1])_MjE", "\(parts[0])_\(String(parts[1].reversed()))_\(parts[2])", "\(page)x",
                "\(Self.now + 1)_\(parts[1])_\(parts[2])", "\(parts[0])_\(parts[1])_bm9uZQ",
            ] { refuses(try await history(store, token, "{\(Self.all)}", page: text), 4_000_014, text) }
            try await set(store, Self.now + Self.day)
            #expect(try await history(store, token, "{\(Self.all)}", page: page).status == 200)
            try await set(store, Self.now + Self.day + 1)
            refuses(try await history(store, token, "{\(Self.all)}", page: page), 4_000_017)
        }
    }

    @Test func `filters select by type, customer and failure`() async throws {
        try await withSamples { store, token in
            store.appStore.deliver(2)
            store.appStore.deliver(1, .expired, .voluntary, result: .noResponse)
            func selected(_ members: String) async throws -> [String] {
                let answer = try await history(store, token, "{\(Self.all)\(members)}")
                #expect(answer.status == 200, "\(answer.text)")
                return (answer.json["notificationHistory"]?.arrayValue ?? []).compactMap {
                    $0["signedPayload"]?.stringValue
                }
            }
            let everything = try await selected("")
            #expect(everything.count == 3)
            #expect(try await selected(#","onlyFailures":false,"notificationType":null"#) == everything)
            #expect(try await selected(#","notificationType":"DID_RENEW""#) == Array(everything.prefix(2)))
            #expect(try await selected(#","notificationType":"EXPIRED""#) == [everything[2]])
            #expect(
                try await selected(#","notificationType":"EXPIRED","notificationSubtype":"VOLUNTARY""#)
                    == [everything[2]])
            #expect(try await selected(#","onlyFailures":true"#) == [everything[2]])
            for identifier in [Self.trial, FakePaymentQueue.appTransaction] {
                #expect(try await selected(#","transactionId":"\#(identifier)""#) == everything)
            }
            #expect(
                store.appStore.contents.withLock { $0.histories.last?.customerIdentifier } == FakePaymentQueue.customer)
        }
    }

    @Test func `the history begins 180 days before the app's clock`() async throws {
        try await withSamples { store, token in
            let reach = 180 * Self.day
            let first = #"{"startDate":\#(Self.now - reach),"endDate":\#(Self.now)}"#
            #expect(try await history(store, token, first).status == 200)
            let early = #"{"startDate":\#(Self.now - reach - 3_600_000),"endDate":\#(Self.now)}"#
            refuses(try await history(store, token, early), 4_000_012)
            try await set(store, Self.now + Self.day)
            refuses(try await history(store, token, first), 4_000_012)
        }
    }

    private static let refusals: [(String, Int)] = [
        ("{\(all),\"startDate\":1}", 4_000_015), ("{\(all),\"a\":\"\\u0000\"}", 4_000_000),
        ("{\(all)} {}", 4_000_000), (String(repeating: " ", count: 65_537), 4_000_000),
        ("", 4_000_000), ("[]", 4_000_000), ("{", 4_000_000), ("{}", 4_000_015),
        (#"{"startDate":1}"#, 4_000_016), (#"{"endDate":1}"#, 4_000_015),
        (#"{"startDate":"1","endDate":2}"#, 4_000_015), (#"{"startDate":-1,"endDate":2}"#, 4_000_015),
        (#"{"startDate":1,"endDate":1e99}"#, 4_000_016), (#"{"startDate":1,"endDate":-2}"#, 4_000_016),
        (#"{"startDate":2,"endDate":2}"#, 4_000_013), (#"{"startDate":3,"endDate":2}"#, 4_000_013),
        (#"{"startDate":1,"endDate":2}"#, 4_000_012), ("{\(all),\"onlyFailures\":1}", 4_000_000),
        ("{\(all),\"notificationType\":\"RENEWED\"}", 4_000_018), ("{\(all),\"notificationType\":1}", 4_000_018),
        ("{\(all),\"notificationSubtype\":\"VOLUNTARY\"}", 4_000_018),
        ("{\(all),\"notificationType\":\"EXPIRED\",\"notificationSubtype\":\"UPGRADE\"}", 4_000_018),
        ("{\(all),\"notificationType\":\"EXPIRED\",\"notificationSubtype\":\"\"}", 4_000_018),
        ("{\(all),\"notificationType\":\"TEST\",\"transactionId\":\"\(trial)\"}", 4_000_019),
        ("{\(all),\"transactionId\":\"x\"}", 4_000_006), ("{\(all),\"transactionId\":\"\"}", 4_000_006),
        ("{\(all),\"transactionId\":2}", 4_000_006), ("{\(all),\"transactionId\":\"404\"}", 4_040_010),
    ]

    @Test(arguments: refusals)
    func `a body that asks for nothing has the error of its member`(body: String, code: Int) async throws {
        try await withSamples { store, token in
            refuses(try await history(store, token, body), code, body)
            #expect(store.appStore.contents.withLock { $0.histories.isEmpty })
        }
    }

    // MARK: Away

    @Test func `without AppStoreServer a request may be repeated`() async throws {
        try await withSamples { store, token in
            store.appStore.service.goAway()
            refuses(try await send(store, .POST, "test", token), 5_000_001)
            refuses(try await send(store, .GET, "test/\(FakeAppStoreServer.uuid(1))_1", token), 5_000_001)
            refuses(try await history(store, token, "{\(Self.all)}"), 5_000_001)
            store.appStore.service.comeBack()
        }
    }
}

import Cryptography
import EventLoop
import HTTPTypes
import NIOHTTP1
import ServiceTesting
import StoreHTTP
import StoreModels
import Testing

@testable import Gateway
@testable import GatewayEdge

/// S18: the operator's session in a browser.
@Suite struct ConsoleSessionTests {
    /// A session as a browser has it.
    private struct Browser {
        let cookie: String
        let csrfToken: String

        init(_ answer: Answer) throws {
            let text = try #require(answer.headers["Set-Cookie"].first)
            cookie = String(text.prefix { $0 != ";" })
            csrfToken = try #require(answer.json["csrfToken"]?.stringValue)
        }

        var csrf: (String, String) { ("Storebus-CSRF", csrfToken) }
    }

    private static let path = "/console/session"

    private func signIn(_ store: GatewayHarness, _ member: String = "key", _ value: String = Sample.adminKey)
        async throws -> Answer
    {
        try await store.send(.POST, Self.path, body: #"{"\#(member)":"\#(value)"}"#)
    }

    private func ticket(_ store: GatewayHarness) async throws -> String {
        let answer = try await store.send(.POST, "/console/tickets", token: Sample.adminKey)
        #expect(answer.status == 201)
        return try #require(answer.json["ticket"]?.stringValue)
    }

    @Test func `the admin key begins a session, whose cookie opens the operator's paths`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await signIn(store)
            #expect(answer.status == 200)
            #expect(answer.headers.first(name: "Cache-Control") == "no-store")
            let cookie = try #require(answer.headers["Set-Cookie"].first)
            #expect(cookie.hasSuffix("; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200"))
            let browser = try Browser(answer)
            let apps = try await store.send(.GET, "/admin/v1/apps", headers: [("Cookie", browser.cookie)])
            #expect(apps.status == 200)
            let session = try await store.send(.GET, Self.path, headers: [("Cookie", browser.cookie)])
            #expect(session.status == 200)
            #expect(session.json == .object(["csrfToken": .string(browser.csrfToken)]))
        }
    }

    @Test func `cookies of the console's name that other pages have set do not end the session`() async throws {
        try await GatewayHarness.run { store in
            let browser = try Browser(try await signIn(store))
            let junk = (0..<100).map { "\(ConsoleRoutes.cookie)=\(String(repeating: "A", count: 76))\($0)" }
            let cookies = (junk + [browser.cookie]).joined(separator: "; ")
            #expect(try await store.send(.GET, "/admin/v1/apps", headers: [("Cookie", cookies)]).status == 200)
        }
    }

    @Test func `the cookie is secure where the client speaks HTTPS with a proxy`() async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(
                .POST, Self.path, headers: [("X-Forwarded-Proto", "https")], body: #"{"key":"\#(Sample.adminKey)"}"#)
            #expect(answer.headers["Set-Cookie"].first?.hasSuffix("; Secure") == true)
        }
    }

    @Test func `a wrong key, a spent ticket and a late one are 401`() async throws {
        try await GatewayHarness.run { store in
            let wrong = try await signIn(store, "key", "\(Sample.adminKey)x")
            #expect(wrong.status == 401)
            #expect(wrong.code == "unauthenticated")
            #expect(wrong.headers["Set-Cookie"].isEmpty)
            let ticket = try await ticket(store)
            let first = try await signIn(store, "ticket", ticket)
            #expect(first.status == 200)
            #expect(try await signIn(store, "ticket", ticket).status == 401, "a ticket begins one session")
            let cookie = try Browser(first).cookie.split(separator: "=", maxSplits: 1)[1]
            #expect(try await signIn(store, "ticket", String(cookie)).status == 401, "a session is no ticket")
            let late = try await self.ticket(store)
            store.moveClock(to: .wallClock() + .seconds(61))
            #expect(try await signIn(store, "ticket", late).status == 401)
        }
    }

    @Test(arguments: ["{}", #"{"key":"a","ticket":"b"}"#, #"{"key":"a","more":1}"#, #"{"key":1}"#, "[]", ""])
    func `a sign-in has a key or a ticket and nothing else`(body: String) async throws {
        try await GatewayHarness.run { store in
            let answer = try await store.send(.POST, Self.path, body: body)
            #expect(answer.status == 400)
            #expect(answer.code == "requestInvalid")
        }
    }

    @Test func `a ticket is no cookie`() async throws {
        try await GatewayHarness.run { store in
            let cookie = ("Cookie", "\(ConsoleRoutes.cookie)=\(try await ticket(store))")
            #expect(try await store.send(.GET, "/admin/v1/apps", headers: [cookie]).status == 401)
            #expect(try await store.send(.GET, Self.path, headers: [cookie]).status == 401)
        }
    }

    @Test func `with the cookie a change needs the CSRF token of the session`() async throws {
        try await GatewayHarness.run { store in
            let browser = try Browser(try await signIn(store))
            let other = try Browser(try await signIn(store))
            let path = "/admin/v1/testers/alice"
            let cookie = ("Cookie", browser.cookie)
            for headers in [
                [cookie], [cookie, ("Storebus-CSRF", "")], [cookie, other.csrf],
                [cookie, ("Storebus-CSRF", browser.csrfToken + "A")], [cookie, browser.csrf, browser.csrf],
            ] {
                for method in [HTTPMethod.DELETE, .PUT] {
                    let answer = try await store.send(
                        method, path, headers: headers, body: method == .PUT ? "{}" : nil)
                    #expect(answer.status == 403)
                    #expect(answer.code == "forbidden")
                    #expect(answer.json["detail"]?.stringValue?.contains("Storebus-CSRF") == true)
                }
            }
            #expect(try await store.send(.DELETE, path, headers: [cookie, browser.csrf]).status == 204)
            let ticket = try await store.send(.POST, "/console/tickets", headers: [cookie, browser.csrf])
            #expect(ticket.status == 201)
            #expect(try await store.send(.DELETE, Self.path, headers: [cookie]).status == 403)
        }
    }

    @Test(arguments: [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)])
    func `another page's request does not have the operator's rights`(site: String, status: Int) async throws {
        try await GatewayHarness.run { store in
            let browser = try Browser(try await signIn(store))
            let headers = [("Cookie", browser.cookie), ("Sec-Fetch-Site", site), browser.csrf]
            #expect(try await store.send(.GET, "/admin/v1/apps", headers: headers).status == status)
            #expect(try await store.send(.GET, Self.path, headers: headers).status == status)
            let bearer = try await store.send(
                .GET, "/admin/v1/apps", token: Sample.adminKey, headers: [("Sec-Fetch-Site", site)])
            #expect(bearer.status == 200, "no browser adds the key by itself")
        }
    }

    @Test func `signing out removes the cookie`() async throws {
        try await GatewayHarness.run { store in
            let browser = try Browser(try await signIn(store))
            let answer = try await store.send(
                .DELETE, Self.path, headers: [("Cookie", browser.cookie), browser.csrf])
            #expect(answer.status == 204)
            #expect(
                answer.headers["Set-Cookie"]
                    == ["storebus_console=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"])
        }
    }

    @Test func `a session ends after twelve hours`() async throws {
        try await GatewayHarness.run { store in
            let cookie = ("Cookie", try Browser(try await signIn(store)).cookie)
            #expect(try await store.send(.GET, Self.path, headers: [cookie]).status == 200)
            store.moveClock(to: .wallClock() + .seconds(12 * 3600 + 1))
            let answer = try await store.send(.GET, "/admin/v1/apps", headers: [cookie])
            #expect(answer.status == 401)
            #expect(answer.json["detail"]?.stringValue?.contains("storebus open") == true)
            #expect(try await store.send(.GET, Self.path, headers: [cookie]).status == 401)
        }
    }

    @Test func `the cookie is no app's session and no server's key`() async throws {
        try await GatewayHarness.run { store in
            let browser = try Browser(try await signIn(store))
            let headers = [("Cookie", browser.cookie), browser.csrf]
            for route in store.gateway.routes
            where ![.open, .named, .admin, .console].contains(route.access) {
                let values = route.operation.path.parameters.map { ($0, "x") }
                let answer = try await store.send(
                    HTTPMethod(rawValue: route.method.rawValue),
                    route.operation.target(Dictionary(uniqueKeysWithValues: values)), headers: headers)
                #expect(answer.status == 401, "\(route.method) \(route.path)")
            }
            let token = String(browser.cookie.split(separator: "=", maxSplits: 1)[1])
            for path in ["/v1/transactions", "/admin/v1/apps", "/v1/customers/alice/history"] {
                #expect(try await store.send(.GET, path, token: token).status == 401, "\(path) by bearer")
            }
        }
    }

    @Test func `a bearer token counts alone, whatever the cookie`() async throws {
        try await GatewayHarness.run { store in
            let cookie = ("Cookie", try Browser(try await signIn(store)).cookie)
            #expect(try await store.send(.GET, "/admin/v1/apps", token: "wrong-key", headers: [cookie]).status == 401)
            let session = try await store.session()
            #expect(try await store.send(.GET, "/admin/v1/apps", token: session, headers: [cookie]).status == 403)
            let junk = ("Cookie", "storebus_console=junk")
            let change = try await store.send(
                .DELETE, "/admin/v1/testers/alice", token: Sample.adminKey, headers: [junk])
            #expect(change.status == 204)
        }
    }

    @Test func `cookies of any shape are read without harm`() async throws {
        try await GatewayHarness.run { store in
            let cookie = try Browser(try await signIn(store)).cookie
            let value = String(cookie.split(separator: "=", maxSplits: 1)[1])
            let name = ConsoleRoutes.cookie
            for text in [
                cookie, "a=b; \(cookie)", "\(cookie); a=b", "a=b;\(cookie);", " ;; ;\(cookie)", "\(name)=\"\(value)\"",
                "\(name)=junk; \(cookie)", "\(name)=; \(name)=\"; \(cookie)", "\(name) = \(value)",
                "a=\"b; \(cookie)", "=; \(cookie)", "\(name); \(cookie)",
                String(repeating: "\(name)=junk;", count: 500) + cookie,
            ] {
                let answer = try await store.send(.GET, Self.path, headers: [("Cookie", text)])
                #expect(answer.status == 200, "\(text)")
            }
            let two = try await store.send(.GET, Self.path, headers: [("Cookie", "a=b"), ("Cookie", cookie)])
            #expect(two.status == 200)
            for text in [
                "", "\(name)", "\(name)=", "\(name)=\"", "x\(cookie)", "STOREBUS_CONSOLE=\(value)", "\(cookie)x",
                "\(name)=\"\(value)", "\(name)=\(value) x", "a=\(value)", "\(name)=%22\(value)%22",
            ] {
                let answer = try await store.send(.GET, Self.path, headers: [("Cookie", text)])
                #expect(answer.status == 401, "\(text.prefix(80))")
            }
        }
    }

    @Test func `at most a bounded number of tickets is remembered, and expired ones make room`() {
        let clock = ClockBox()
        let start = Timestamp.wallClock()
        clock.set(start)
        let sessions = ConsoleSessions(
            adminKey: AdminKey("0123456789"), sessionKey: SymmetricKey(), now: { clock.now })
        for _ in 0..<ConsoleSessions.ticketsMax {
            #expect(sessions.begin(.ticket(sessions.issueTicket().ticket)) != nil)
        }
        #expect(sessions.begin(.ticket(sessions.issueTicket().ticket)) == nil)
        clock.set(start + .seconds(61))
        #expect(sessions.begin(.ticket(sessions.issueTicket().ticket)) != nil)
    }

    @Test func `the operator's paths of an isolated store take the cookie`() async throws {
        try await GatewayHarness.run { store in
            let cookie = ("Cookie", try Browser(try await signIn(store)).cookie)
            let answer = try await store.send(.GET, "/s/none/admin/v1/apps", headers: [cookie])
            #expect(answer.status == 404, "the operator is known, the store is not")
            #expect(try await store.send(.GET, "/s/none/admin/v1/apps").status == 401)
        }
    }

    @Test func `no key, ticket, cookie or CSRF token is logged (S20)`() async throws {
        let logs = LogCapture()
        let secrets = try await GatewayHarness.run(logs: logs) { store in
            let ticket = try await ticket(store)
            let answer = try await signIn(store, "ticket", ticket)
            let browser = try Browser(answer)
            let cookie = ("Cookie", browser.cookie)
            _ = try await signIn(store)
            _ = try await signIn(store, "key", "canary-key-of-nothing")
            _ = try await signIn(store, "canary-member", "canary")
            _ = try await store.send(.GET, "/admin/v1/apps", headers: [cookie])
            _ = try await store.send(.DELETE, "/admin/v1/testers/x", headers: [cookie, ("Storebus-CSRF", "canary")])
            _ = try await store.send(.GET, Self.path, headers: [("Cookie", "storebus_console=canary")])
            return [
                ticket, browser.csrfToken, String(browser.cookie.split(separator: "=", maxSplits: 1)[1]),
                Sample.adminKey, "canary",
            ]
        }
        let text = logs.all.joined(separator: "\n")
        #expect(text.contains("/console/session"))
        for secret in secrets { #expect(!text.contains(secret)) }
    }
}

import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus listen`: notifications are leased, posted, reported, and the endpoint of before comes back.
@Suite struct ListenTests {
    private static let app = Notified.app
    private static let at = Timestamp(milliseconds: 1_795_255_204_000)

    /// A store with one lease, in which Ctrl-C is pressed once its outcome was reported.
    private final class Store: Sendable {
        let fake = FakeStore(takesTime: true)
        let server: FakeAppServer
        private let stop = Locked<(@Sendable () -> Void)?>(nil)

        init(
            leases: Int = 1, server: FakeAppServer = FakeAppServer(), before: NotificationEndpoint? = Notified.endpoint
        ) {
            self.server = server
            let present = Locked(before)
            let left = Locked(leases)
            fake.answer("GET \(app)/notifications/endpoint") { _ in
                (200, JSONText.value(NotificationEndpointResponse(present.withLock { $0 })))
            }
            fake.answer("PUT \(app)/notifications/endpoint") { request in
                let body = try? StoreJSON.decode(NotificationEndpointBody.self, from: request.body ?? [])
                let put = NotificationEndpoint(
                    url: body?.url ?? "", retry: body?.retry ?? .sandbox, timeoutMs: body?.timeoutMs ?? 0)
                present.withLock { $0 = put }
                return (200, JSONText.value(put))
            }
            fake.answer("DELETE \(app)/notifications/endpoint") { _ in
                present.withLock { $0 = nil }
                return (204, .object([:]))
            }
            fake.answer("POST \(app)/notifications/lease") { [self] _ in
                let number = left.withLock { left in
                    left -= 1
                    return left
                }
                if number < 0 {
                    if leases == 0 { press() }
                    return (200, ["attempts": []])
                }
                let reply = LeaseNotificationsReply(attempts: [
                    .init(
                        attemptIdentifier: "a_1", notificationUUID: Notified.uuid, notificationType: .didRenew,
                        subtype: nil, signedPayload: Notified.payload)
                ])
                return (200, JSONText.value(reply))
            }
            fake.answer("POST \(app)/notifications/attempts/a_1") { [self] _ in
                press()
                return (204, .object([:]))
            }
        }

        private func press() { stop.withLock { $0 }?() }

        func listen(_ arguments: String...) async -> (status: CLIExit, said: Recorder) {
            await Recorder.run(
                ["listen", "--forward-to", "localhost:8080/apple"] + arguments,
                variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: fake,
                onStop: { [stop] action in
                    stop.withLock { $0 = action }
                    return Recorder()
                }, forwarder: server)
        }

        func bodies<Body: Decodable>(_ type: Body.Type, _ method: StoreRequest.Method, _ path: String) -> [Body] {
            fake.requests(method, path).compactMap { try? StoreJSON.decode(type, from: $0.body ?? []) }
        }
    }

    @Test func `a notification is posted, its answer reported, and the endpoint of before comes back`() async {
        let store = Store()
        let (status, said) = await store.listen()
        #expect(status == .success, "\(said.narration)")
        #expect(
            store.server.posts == [
                .init(signedPayload: Notified.payload, url: "http://localhost:8080/apple", time: .seconds(5))
            ])
        let puts = store.bodies(NotificationEndpointBody.self, .put, "\(Self.app)/notifications/endpoint")
        #expect(
            puts == [
                NotificationEndpointBody(url: "listen:", retry: .fast, timeoutMs: 6_000),
                NotificationEndpointBody(Notified.endpoint),
            ])
        let reports = store.bodies(ReportAttemptBody.self, .post, "\(Self.app)/notifications/attempts/a_1")
        #expect(reports.map(\.sendAttemptResult) == [.success])
        #expect(reports.map(\.httpStatus) == [200] && reports.map(\.durationMs) == [12])
        #expect(
            said.narration.contains(
                "listening for com.example.app, forwarding to http://localhost:8080/apple; Ctrl-C ends\n"))
        #expect(said.narration.contains("note: this replaces http://localhost:8080/apple until it ends\n"))
        let lines = said.result.split(separator: "\n").map {
            $0.split(separator: " ").dropFirst().joined(separator: " ")
        }
        #expect(lines == ["--> DID_RENEW 3f2a1c9e", "<-- 200 (12 ms) 3f2a1c9e"])
    }

    @Test func `errors of the store end nothing, at the start and later`() async {
        let store = Store()
        let path = "\(Self.app)/notifications"
        let failures = Locked([
            "endpoint": [503], "lease": [500, 503, 502],
        ])
        for (key, name) in [("GET \(path)/endpoint", "endpoint"), ("POST \(path)/lease", "lease")] {
            store.fake.precede(key) { _ in
                guard let status = failures.withLock({ $0[name]?.popLast() }) else { return nil }
                let code: StoreErrorCode = status == 500 ? .internal : .serviceUnavailable
                return (status, StubTransport.problem(status, code))
            }
        }
        let (status, said) = await store.listen()
        #expect(status == .success, "\(said.narration)")
        #expect(store.server.posts.count == 1)
        #expect(said.narration.split(separator: "\n").count { $0.contains("asking again in") } == 4)
    }

    @Test func `without an endpoint before there is none afterwards`() async {
        let store = Store(before: nil)
        #expect(await store.listen("--retry", "apple", "--timeout", "59s").status == .success)
        #expect(store.fake.requests(.delete, "\(Self.app)/notifications/endpoint").count == 1)
        let puts = store.bodies(NotificationEndpointBody.self, .put, "\(Self.app)/notifications/endpoint")
        #expect(puts == [NotificationEndpointBody(url: "listen:", retry: .apple, timeoutMs: 60_000)])
        #expect(store.server.posts.map(\.time) == [.seconds(59)])
    }

    @Test func `a failure is reported with Apple's word`() async {
        let outcome = ForwardOutcome(.socketIssue, duration: .milliseconds(2), reason: "Connection refused")
        let store = Store(server: FakeAppServer(outcome))
        let said = await store.listen().said
        let reports = store.bodies(ReportAttemptBody.self, .post, "\(Self.app)/notifications/attempts/a_1")
        #expect(reports.map(\.sendAttemptResult) == [.socketIssue])
        #expect(reports.map(\.bodyStart) == ["Connection refused"] && reports.map(\.httpStatus) == [nil])
        #expect(said.result.contains("<-- SOCKET_ISSUE (2 ms) "))
        #expect(said.result.hasSuffix("  3f2a1c9e  Connection refused\n"))
    }

    @Test func `what was made before comes first, oldest first, and is not reported`() async {
        let store = Store(leases: 0)
        let states: [ServerNotification.State] = [.pending, .failed, .noEndpoint, .delivered]
        let all = states.enumerated().map { Notified.notification(4 - $0.offset, $0.element) }
        store.fake.answer("GET \(Self.app)/notifications", Notified.page(all))
        for one in all {
            var signed = one
            signed.signedPayload = "jws \(one.notificationUUID.suffix(1))"
            store.fake.answer(
                "GET \(Self.app)/notifications/\(one.notificationUUID)", JSONText.value(signed))
        }
        // The second was made 3 minutes and a second ago, the third a minute later.
        store.fake.answer("GET \(Self.app)/clock", FakeStore.clock(now: "2026-11-21T10:05:05.000Z"))
        let said = await store.listen("--since", "3m").said
        #expect(store.server.posts.map(\.signedPayload) == ["jws 3"])
        #expect(said.result.contains("3f2a1c9e  again\n"))
        let whole = await posts(of: store, since: "1h")
        #expect(whole == ["jws 1", "jws 2", "jws 3"])
        #expect(store.fake.requests(.post, "\(Self.app)/notifications/attempts/a_1").isEmpty)
    }

    /// Listens to the same store once more.
    private func posts(of store: Store, since: String) async -> [String] {
        let count = store.server.posts.count
        _ = await store.listen("--since", since)
        return store.server.posts.dropFirst(count).map(\.signedPayload)
    }

    @Test func `another endpoint ends it, and stays`() async {
        let store = Store()
        store.fake.answer("POST \(Self.app)/notifications/lease") { _ in
            (409, StubTransport.problem(409, .transactionStateInvalid))
        }
        store.fake.answer("GET \(Self.app)", JSONText.value(Promoted.app))
        let other = NotificationEndpoint(url: "http://other", retry: .sandbox)
        store.fake.answer("PUT \(Self.app)/notifications/endpoint", JSONText.value(other))
        let (status, said) = await store.listen()
        #expect(status == .refused)
        #expect(said.narration.contains("com.example.app has another endpoint now"))
        #expect(store.fake.requests(.put, "\(Self.app)/notifications/endpoint").count == 1)
    }

    @Test func `the deletion of its app ends it, and no endpoint is left to set back`() async {
        let store = Store()
        let unknown = StubTransport.problem(404, .notFound)
        store.fake.answer("POST \(Self.app)/notifications/lease") { [fake = store.fake] _ in
            for key in ["GET \(Self.app)", "GET \(Self.app)/notifications/endpoint"] {
                fake.answer(key) { _ in (404, unknown) }
            }
            return (409, StubTransport.problem(409, .transactionStateInvalid))
        }
        let (status, said) = await store.listen()
        #expect(status == .refused)
        #expect(said.narration.contains("com.example.app was deleted, so there is nothing to forward"))
        #expect(!said.narration.contains("set it back"))
        #expect(store.fake.requests(.put, "\(Self.app)/notifications/endpoint").count == 1)
    }

    @Test(arguments: [
        (["--since", "soon"], "--since is a time such as 10m"), (["--retry", "never"], "--retry is one of"),
        (["--timeout", "60s"], "--timeout is 100ms to 59s"), (["--route", "REFUND"], "--route takes TYPE=URL"),
        (["--route", "REFUNDD=http://a"], "did you mean 'REFUND'?"),
        (["--route", "REFUND=ftp://a"], "--route takes a URL of an app's server"),
    ])
    func `a wrong option is a usage error, and the store is not asked`(options: [String], sentence: String) async {
        let store = FakeStore()
        let (status, said) = await Recorder.run(["listen", "--forward-to", "localhost:1"] + options, transport: store)
        #expect(status == .usage)
        #expect(said.narration.contains(sentence), "\(said.narration)")
        #expect(store.requests.isEmpty)
    }

    @Test func `the route of the subtype goes before the type's, and that before all others`() throws {
        let routes = try ForwardRoutes(
            "localhost:1/all", ["EXPIRED=localhost:2", "EXPIRED.VOLUNTARY=https://b.example/x?a=b"])
        #expect(routes.url(of: NotificationName(.didRenew)) == "http://localhost:1/all")
        #expect(routes.url(of: NotificationName(.expired, .billingRetry)) == "http://localhost:2")
        #expect(routes.url(of: NotificationName(.expired, .voluntary)) == "https://b.example/x?a=b")
    }

    @Test func `the same id ends both lines, in the same column`() {
        let lines = ForwardLines(.human, .plain)
        let space = String(repeating: " ", count: 36)
        #expect(
            lines.arrived(
                Notified.uuid, NotificationName(.didRenew), url: "http://a", isAgain: false, at: Self.at)
                == "10:00:04  --> DID_RENEW\(space)  3f2a1c9e\n")
        let names = NotificationType.allCases.flatMap { type in type.subtypes.map { NotificationName(type, $0) } }
        let columns = names.map { name -> Int? in
            let line = lines.arrived(Notified.uuid, name, url: "http://a", isAgain: false, at: Self.at)
            return line.count
        }
        let answered = lines.answered(
            Notified.uuid, ForwardOutcome(status: 500, duration: .seconds(2), bodyStart: "no"), at: Self.at)
        #expect(answered.hasPrefix("10:00:04  <-- 500 (2.00 s)  "))
        #expect(Set(columns + [answered.count]).count == 1)
    }

    @Test func `JSON has both events, names only what arrives`() throws {
        let json = ForwardLines(.jsonl, .plain)
        let outcome = ForwardOutcome(status: 200, duration: .milliseconds(7), bodyStart: nil)
        let arrived = try StrictJSON.parse(
            Array(
                json.arrived(
                    Notified.uuid, NotificationName(.expired, .voluntary), url: "http://a", isAgain: true,
                    at: Self.at
                ).utf8))
        #expect(arrived["event"] == "arrived" && arrived["kind"] == "EXPIRED.VOLUNTARY" && arrived["again"] == true)
        let answered = try StrictJSON.parse(Array(json.answered(Notified.uuid, outcome, at: Self.at).utf8))
        #expect(answered["sendAttemptResult"] == "SUCCESS" && answered["durationMs"]?.intValue == 7)
        #expect(answered["notificationUUID"]?.stringValue == Notified.uuid)
        #expect(ForwardLines(.names, .plain).answered(Notified.uuid, outcome, at: Self.at) == "")
    }

    @Test(arguments: [(199, false), (200, true), (206, true), (207, false), (302, false), (500, false)])
    func `200 to 206 are a delivery`(status: Int, isDelivered: Bool) {
        let outcome = ForwardOutcome(status: status, duration: .zero, bodyStart: nil)
        #expect(outcome.result == (isDelivered ? .success : .unsuccessfulResponse))
    }
}

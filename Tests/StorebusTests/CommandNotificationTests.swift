import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// `storebus notifications`: what the operator sees of an app's notifications.
@Suite struct CommandNotificationTests {
    private static let app = Notified.app

    @Test func `a payload is decoded, and what is signed in it`() throws {
        let payload = try #require(SignedPayload.decoded(Notified.payload))
        #expect(payload["notificationType"] == "DID_RENEW")
        #expect(payload["data"]?["bundleId"] == "com.example.app")
        #expect(payload["data"]?["signedTransactionInfo"]?["transactionId"] == "2000000000000001")
        #expect(payload["data"]?["signedRenewalInfo"]?["autoRenewStatus"]?.intValue == 1)
    }

    @Test func `bytes of the URL's alphabet are decoded, of any length`() throws {
        for text in ["?", "??", "???", "ÿÿÿ>>>", ""] {
            let payload = SignedPayload.decoded(Notified.jws(["text": .string(text)]))
            #expect(payload?["text"]?.stringValue == text)
        }
    }

    @Test(arguments: ["", "a.b", "a.b.c", "a.e30.b.c", "a.!!.c"])
    func `what is no JWS is not decoded`(text: String) {
        #expect(SignedPayload.decoded(text) == nil)
    }

    @Test func `a signed member that is none stays as it is`() {
        let payload = SignedPayload.decoded(Notified.jws(["data": ["signedTransactionInfo": "broken"]]))
        #expect(payload?["data"]?["signedTransactionInfo"] == "broken")
    }

    @Test func `a payload is printed on lines of its own`() {
        #expect(
            JSONText.indented(
                ["b": .array([1, "x"]), "a": ["c": .null], "d": .object([:]), "e": .array([])])
                    == """
                    {
                      "a": {
                        "c": null
                      },
                      "b": [
                        1,
                        "x"
                      ],
                      "d": {},
                      "e": []
                    }
                    """)
    }

    // MARK: wait

    @Test func `a wait ends with the newest notification that matches, also one that was there`() async {
        let store = FakeStore()
        let (status, said) = await store.run(
            "notifications", "wait", "did_renew.billing_recovery", "--as", "alice", "--state", "delivered")
        #expect(status == .success)
        #expect(said.result == "delivered  \(Notified.uuid)  DID_RENEW  alice\n")
        let path = store.requests.last?.path ?? ""
        for part in ["notificationType=DID_RENEW", "subtype=BILLING_RECOVERY", "account=alice", "state=delivered"] {
            #expect(path.contains(part), "\(path)")
        }
    }

    @Test func `behind a notification only a newer one counts`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications") { [store] _ in
            let isThere = store.requests(.get, "\(Self.app)/notifications").count > 2
            return (200, Notified.page((isThere ? [Notified.notification(2)] : []) + [Notified.notification(1)]))
        }
        let (status, said) = await store.run(
            "notifications", "wait", "--after", Notified.uuid, "-o", "names", "--timeout", "1h")
        #expect(status == .success)
        #expect(said.result == String(Notified.uuid.dropLast()) + "2\n")
    }

    @Test func `behind a notification of another type an older one does not count`() async {
        let store = FakeStore()
        var marker = Notified.notification(1)
        marker.notificationType = .subscribed
        store.answer("GET \(Self.app)/notifications", Notified.page([marker, Notified.notification(0)]))
        let (status, _) = await store.run(
            "notifications", "wait", "DID_RENEW", "--after", Notified.uuid, "--timeout", "30ms")
        #expect(status == .refused)
    }

    @Test func `a notification that is not there is no place to wait behind`() async {
        let unknown = String(Notified.uuid.dropLast()) + "f"
        let (status, said) = await FakeStore().run("notifications", "wait", "--after", unknown, "--timeout", "1h")
        #expect(status == .refused)
        #expect(said.narration.contains("[notFound]"), "\(said.narration)")
    }

    @Test func `a notification that does not come in time is an expectation that failed`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications", Notified.page([]))
        let (status, said) = await store.run(
            "notifications", "wait", "REFUND", "--as", "alcie", "--timeout", "30ms")
        #expect(status == .refused)
        #expect(said.narration.contains("no REFUND of alcie was made within 30 ms"))
        #expect(said.narration.contains("did you mean 'alice'?"))
        #expect(said.narration.contains("storebus time status"))
    }

    @Test func `settled is asked for until nothing is left to deliver`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications/settled") { [store] _ in
            let isLeft = store.requests(.get, "\(Self.app)/notifications/settled").count < 2
            let state = NotificationsSettled(
                settled: !isLeft, pending: isLeft ? 1 : 0, made: 2, delivered: isLeft ? 1 : 2)
            return (200, JSONText.value(state))
        }
        let (status, said) = await store.run("notifications", "wait", "--settled", "--timeout", "1h")
        #expect(status == .success)
        #expect(said.result == "settled  com.example.app: 2 made, 2 delivered\n")
        #expect(store.requests.last?.path.hasSuffix("?timeout=20s") == true)
        let left = NotificationsSettled(settled: false, pending: 1, made: 1, delivered: 0)
        store.answer("GET \(Self.app)/notifications/settled", JSONText.value(left))
        let late = await store.run("notifications", "wait", "--settled", "--timeout", "30ms")
        #expect(late.status == .refused)
        #expect(late.said.narration.contains("1 notification of com.example.app is still to be delivered after 30 ms"))
        let making = NotificationsSettled(settled: false, pending: 0, made: 1, delivered: 1)
        store.answer("GET \(Self.app)/notifications/settled", JSONText.value(making))
        let still = await store.run("notifications", "wait", "--settled", "--timeout", "30ms").said.narration
        #expect(still.contains("the store was still making notifications of com.example.app after 30 ms"), "\(still)")
    }

    @Test func `settled without an endpoint says that nothing was delivered, and how it is`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications/endpoint", .object([:]))
        store.answer(
            "GET \(Self.app)/notifications/settled",
            JSONText.value(NotificationsSettled(settled: true, pending: 0, made: 3, delivered: 0)))
        let (status, said) = await store.run("notifications", "wait", "--settled", "--store", "t-7")
        #expect(status == .success)
        #expect(
            said.narration.contains(
                "note: 3 without an endpoint; set one: storebus notifications endpoint URL --store t-7\n"),
            "\(said.narration)")
    }

    @Test func `a list has one a line, and asks for what was chosen`() async {
        let store = FakeStore()
        let said = await store.run(
            "notifications", "list", "--type", "EXPIRED", "--subtype", "VOLUNTARY", "--account", "alice", "--state",
            "failed", "--limit", "7"
        ).said
        #expect(
            said.result == """
                NOTIFICATION  ACCOUNT  TYPE       STATE      ATTEMPTS  AT
                3f2a1c9e      alice    DID_RENEW  delivered         1  2026-11-21 10:01:04Z

                """)
        let path = store.requests.last { $0.path.contains("/notifications?") }?.path ?? ""
        for part in ["notificationType=EXPIRED", "subtype=VOLUNTARY", "account=alice", "state=failed", "limit=7"] {
            #expect(path.contains(part), "\(path)")
        }
        #expect(said.narration == "next: storebus notifications show 3f2a1c9e\n")
    }

    @Test func `one is shown with its attempts and what it says`() async {
        let said = await FakeStore().run("notifications", "show", "3f2a1c9e").said
        for line in [
            "notification  \(Notified.uuid)\n", "type          DID_RENEW\n", "account       alice\n",
            "state         delivered\n", "ATTEMPT               RESULT   STATUS   TOOK  BODY\n",
            "2026-11-21 10:01:04Z  SUCCESS     200  12 ms\n", "      \"transactionId\": \"2000000000000001\"\n",
        ] { #expect(said.result.contains(line), "\(said.result)") }
        let json = await FakeStore().run("notifications", "show", Notified.uuid, "-o", "json").said.result
        #expect(json.contains(#""signedRenewalInfo":{"autoRenewStatus":1}"#))
    }

    @Test func `the signed text is printed as it is sent`() async {
        let said = await FakeStore().run("notifications", "show", Notified.uuid, "--jws").said
        #expect(said.result == Notified.payload + "\n")
        #expect(said.narration == "")
    }

    @Test func `a beginning that fits two is refused, one that fits none is corrected`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications", Notified.page([1, 2].map { Notified.notification($0) }))
        let two = await store.run("notifications", "show", "3f2a")
        #expect(two.status == .usage)
        #expect(two.said.narration.contains("'3f2a' is the beginning of 2 notifications"))
        let none = await store.run("notifications", "resend", "3f2a1c9f")
        #expect(none.status == .refused)
        #expect(none.said.narration.contains("com.example.app has no notification '3f2a1c9f'"))
        #expect(none.said.narration.contains("did you mean '3f2a1c9e'?"))
    }

    @Test func `one is sent again`() async {
        let store = FakeStore()
        let said = await store.run("notifications", "resend", "3f2a1c9e").said
        #expect(said.result == "sent again  \(Notified.uuid)  DID_RENEW\n")
        #expect(store.requests(.post, "\(Self.app)/notifications/\(Notified.uuid)/resend").count == 1)
    }

    /// A store with the failed notifications 1 and 2, the newer one first.
    private func failing() -> FakeStore {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications", Notified.page([2, 1].map { Notified.notification($0, .failed) }))
        for number in [1, 2] {
            let one = Notified.notification(number, .failed)
            store.answer("POST \(Self.app)/notifications/\(one.notificationUUID)/resend", JSONText.value(one))
        }
        return store
    }

    @Test func `all of one state are sent again, the oldest first`() async {
        let store = failing()
        let (status, said) = await store.run("notifications", "resend", "--state", "failed")
        #expect(status == .success)
        let start = Notified.uuid.dropLast()
        #expect(said.result == "sent again  \(start)1  DID_RENEW\nsent again  \(start)2  DID_RENEW\n")
        #expect(said.narration == "next: storebus notifications wait --settled\n")
        #expect(store.requests(.get, "\(Self.app)/notifications").first?.path.contains("state=failed") == true)
        let names = await store.run("notifications", "resend", "--state", "failed", "-o", "names").said
        #expect(names.result == "\(start)1\n\(start)2\n")
    }

    @Test func `a state of no notification is said to have none`() async {
        let store = FakeStore()
        store.answer("GET \(Self.app)/notifications", Notified.page([]))
        let (status, said) = await store.run("notifications", "resend", "--state", "retrying")
        #expect(status == .success)
        #expect(said.result == "no notification is retrying\n")
        #expect(said.narration == "next: storebus notifications list\n")
    }

    @Test func `a refusal says how many were sent again before it`() async {
        let store = failing()
        store.answer(
            "POST \(Self.app)/notifications/\(Notified.notification(2).notificationUUID)/resend", status: 404,
            StubTransport.problem(404, .notFound))
        let (status, said) = await store.run("notifications", "resend", "--state", "failed")
        #expect(status == .refused)
        #expect(said.result == "")
        #expect(said.narration.contains("(1 of 2 were sent again)"), "\(said.narration)")
    }
}

/// `storebus notifications endpoint`.
@Suite struct NotificationEndpointTests {
    private static let path = "\(Notified.app)/notifications/endpoint"

    private func put(_ store: FakeStore) throws -> NotificationEndpointBody {
        try StoreJSON.decode(
            NotificationEndpointBody.self, from: try #require(store.requests(.put, Self.path).last?.body))
    }

    @Test func `without a URL it is shown, and none is said to be none`() async {
        let store = FakeStore()
        #expect(
            await store.run("notifications", "endpoint").said.result == """
                url      http://localhost:8080/apple
                retry    sandbox
                timeout  5000 ms

                """)
        store.answer("GET \(Self.path)", ["endpoint": .null])
        #expect(
            await store.run("notifications", "endpoint").said.result
                == "no endpoint: notifications of com.example.app are made and not sent\n")
        let refused = await store.run("notifications", "endpoint", "--retry", "fast")
        #expect(refused.status == .usage)
        #expect(refused.said.narration.contains("com.example.app has no endpoint to change"))
    }

    @Test func `a URL replaces it, flags alone change it`() async throws {
        let store = FakeStore()
        _ = await store.run("notifications", "endpoint", "https://a.example/n", "--timeout", "2s", "--shuffle")
        var wanted = NotificationEndpointBody(url: "https://a.example/n", timeoutMs: 2_000)
        wanted.shuffle = true
        #expect(try put(store) == wanted)
        _ = await store.run("notifications", "endpoint", "--retry", "fast", "--duplicate")
        wanted = NotificationEndpointBody(url: Notified.endpoint.url, retry: .fast, timeoutMs: 5_000)
        wanted.duplicate = true
        #expect(try put(store) == wanted)
    }

    @Test func `it is removed, and not set in the same breath`() async {
        let store = FakeStore()
        #expect(await store.run("notifications", "endpoint", "--delete").said.result.hasPrefix("no endpoint"))
        #expect(store.requests(.delete, Self.path).count == 1)
        #expect(await store.run("notifications", "endpoint", "http://a", "--delete").status == .usage)
        #expect(
            await store.run("notifications", "endpoint", "--retry", "slow").said.narration.contains(
                "--retry is one of apple, sandbox, fast"))
    }
}

/// `storebus trigger`.
@Suite struct TriggerTests {
    private static let path = "\(Notified.app)/notifications/trigger"

    private func body(_ store: FakeStore) throws -> TriggerNotificationBody {
        try StoreJSON.decode(
            TriggerNotificationBody.self, from: try #require(store.requests(.post, Self.path).last?.body))
    }

    @Test func `a value is JSON if it can be, else text`() throws {
        let values: [(String, JSONValue)] = [
            ("1", .integer(1)), ("true", .bool(true)), ("null", .null), ("x", .string("x")), ("", .string("")),
            (#"{"b":[1]}"#, .object(["b": .array([.integer(1)])])), (#""5""#, .string("5")),
            ("b=c", .string("b=c")), ("2026-11-21", .string("2026-11-21")),
        ]
        for (text, value) in values { #expect(try PayloadMembers(["a=\(text)"]).values == ["a": value]) }
    }

    @Test func `the last value of a member counts, and one without a name is refused`() throws {
        #expect(try PayloadMembers(["a=1", "a=2", "b=3"]).values == ["a": 2, "b": 3])
        for word in ["a", "=1", ""] { #expect(throws: CLIError.self) { try PayloadMembers([word]) } }
    }

    @Test(arguments: [
        ("DID_RENEW", NotificationName(.didRenew)), ("expired.voluntary", NotificationName(.expired, .voluntary)),
    ])
    func `a type is read in any case`(text: String, name: NotificationName) throws {
        #expect(try NotificationName(parsing: text) == name)
        #expect(name.description == text.uppercased())
    }

    @Test(arguments: [
        ("DID_RENEWW", "did you mean 'DID_RENEW'?"),
        ("DID_RENEW.VOLUNTARY", "write DID_RENEW, DID_RENEW.BILLING_RECOVERY"),
        ("SUBSCRIBED", "SUBSCRIBED always has a subtype"), ("TEST.", "TEST has no subtype ''"),
    ])
    func `a type that Apple does not send is refused`(text: String, sentence: String) async {
        let store = FakeStore()
        let (status, said) = await store.run("trigger", text, "--as", "alice")
        #expect(status == .usage)
        #expect(said.narration.contains(sentence), "\(said.narration)")
        #expect(store.requests.isEmpty)
    }

    @Test func `all that is wanted is sent`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run(
            "trigger", "EXPIRED.BILLING_RETRY", "--of", "0001", "--only-send", "--set", "signedDate=0", "--break",
            "root")
        #expect(status == .success, "\(said.narration)")
        var wanted = TriggerNotificationBody(
            notificationType: .expired, subtype: .billingRetry, account: "alice")
        (wanted.of, wanted.onlySend) = ("2000000000000001", true)
        wanted.set = ["signedDate": 0]
        wanted.break = .root
        #expect(try body(store) == wanted)
        let json = await store.run("trigger", "TEST", "-o", "json").said.result
        #expect(json.contains(#""payload":{"data":"#) && json.contains(#""signedPayload":""#))
        #expect(try body(store) == TriggerNotificationBody(notificationType: .test))
        _ = await store.run("trigger", "ONE_TIME_CHARGE", "--product", "fishing")
        #expect(try body(store).productIdentifier == "fishing")
        #expect(try body(store).account == nil)
    }

    @Test func `each step is said, with the states before and after, and how to take it back`() async {
        let said = await FakeStore().run("trigger", "REFUND").said
        for line in [
            "settings  trigger-1: processor approve", "storebus account set trigger-1 --processor approve",
            "storebus buy hidden-beaches --as trigger-1", "storebus refund 2000000000000001",
            "event   DID_RENEW  \(Notified.uuid)  pending",
            "undo    storebus reset --as trigger-1 --settings --yes",
        ] { #expect(said.result.contains(line), "\(line) in \(said.result)") }
        let (before, after) = (
            said.result.split(separator: "\n").first { $0.hasPrefix("before") } ?? "",
            said.result.split(separator: "\n").first { $0.hasPrefix("after") } ?? ""
        )
        #expect(!before.contains("revoked") && after.contains("revoked 2026-11-21"), "\(said.result)")
    }

    @Test func `a notification that was only sent has no steps`() async {
        let store = FakeStore()
        store.answer("POST \(Self.path)", JSONText.value(Notified.notification(1, .pending)))
        let said = await store.run("trigger", "DID_RENEW", "--as", "alice", "--only-send").said
        #expect(said.result == "triggered  \(Notified.uuid)  DID_RENEW  pending\n")
    }

    @Test func `an account that is not there is said as users know it`() async {
        let store = FakeStore()
        store.answer("POST \(Self.path)", status: 404, StubTransport.problem(404, .notFound))
        let (status, said) = await store.run("trigger", "DID_RENEW", "--as", "alcie")
        #expect(status == .refused)
        #expect(said.narration.contains("account 'alcie' not found"))
        #expect(said.narration.contains("did you mean 'alice'?"))
        #expect(
            await store.run("trigger", "DID_RENEW", "--as", "alice").said.narration.contains("as the test wants it"))
    }

    @Test func `a refusal of an event names the options of the command line`() async {
        let store = FakeStore()
        let problem = StubTransport.problem(422, .requestInvalid, details: ["path": "$.account"])
        store.answer(
            "POST \(Self.path)", status: 422,
            problem.with(["detail": "$.account: leave out account, or only send it with onlySend"]))
        let said = await store.run("trigger", "DID_RENEW", "--as", "alice").said
        #expect(said.narration.contains("--as leave out --as, or only send it with --only-send"), "\(said.narration)")
    }

    @Test func `what no endpoint gets is said`() async {
        let store = FakeStore()
        store.answer("POST \(Self.path)", JSONText.value(Notified.notification(1, .noEndpoint)))
        let said = await store.run("trigger", "DID_RENEW", "--as", "alice").said
        #expect(said.narration.contains("com.example.app has no endpoint, so it is not sent"))
        #expect(
            await store.run("trigger", "TEST", "--break", "rot").said.narration.contains("did you mean 'root'?"))
    }
}

import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// Purchases that begin in the store: begun, looked at and answered.
@Suite struct CommandIntentTests {
    private static let decision = "/v1/intents/i_01j2k9f/decision"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    // MARK: Beginning one (M65, M72–M75)

    @Test func `M65: a product is tapped in the store of the device`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("intent", "hidden-beaches", "--as", "alice", "--device", "alice-2")
        #expect(status == .success)
        let session = try body(store.requests(.post, "/v1/sessions").first)
        #expect(session["client"] == "store" && session["deviceId"] == "alice-2" && session["appVersion"] == nil)
        #expect(
            try body(store.requests(.post, "/v1/store-page/purchase").first)
                == ["productIdentifier": "hidden-beaches"])
        #expect(
            said.result == """
                openApp  i_01j2k9f  hidden-beaches  alice on alice-2
                  the app opens and is given the purchase

                """)
        #expect(said.narration == "next: storebus intent continue i_01j2k9f\n")
        _ = await store.run("intent", "start", "hidden-beaches", "--as", "alice", "--source", "featured")
        #expect(try body(store.requests(.post, "/v1/store-page/purchase").last)["source"] == "featured")
    }

    @Test(arguments: [
        ("downloading", "storebus device resume alice-1 --as alice"),
        ("promptBuyApp", "storebus prompt list --as alice"),
        ("promptUpgrade", "storebus device install alice-1 --promoted-purchases delegate"),
    ])
    func `M72, M75: what comes before the app is named`(outcome: String, next: String) async {
        let store = FakeStore()
        store.answer(
            "POST /v1/store-page/purchase", ["outcome": .string(outcome), "intentIdentifier": "i_01j2k9f"])
        let (status, said) = await store.run("intent", "hidden-beaches", "--as", "alice")
        #expect(status == .success)
        #expect(said.result.hasPrefix("\(outcome)  i_01j2k9f"))
        #expect(said.narration == "next: \(next)\n")
    }

    @Test func `M106: a link is taken unchanged, and says which app is meant`() async throws {
        let store = FakeStore()
        let link =
            "itms-services://?action=purchaseIntent&bundleId=com.example.other&productIdentifier=com.example.pro%2Ex"
        let (status, said) = await store.run("intent", link, "--as", "bob")
        #expect(status == .success)
        #expect(try body(store.requests(.post, "/v1/open-url").first) == ["url": .string(link)])
        #expect(try body(store.requests(.post, "/v1/sessions").first)["bundleId"] == "com.example.other")
        #expect(said.result.hasPrefix("promptUpgrade  i_01j2k9f  com.example.pro.x  bob on bob-1\n"))
        _ = await store.run("intent", link, "--as", "bob", "--bundle-id", "com.example.app")
        #expect(try body(store.requests(.post, "/v1/sessions").last)["bundleId"] == "com.example.app")
    }

    @Test func `M107: a link with a fault is the store's to judge`() async throws {
        let store = FakeStore()
        store.answer("POST /v1/open-url", status: 422, StubTransport.problem(422, .urlInvalid))
        let (status, said) = await store.run("intent", "itms-services://?action=buy", "--as", "bob")
        #expect(status == .usage)
        #expect(said.narration.contains("[urlInvalid]"))
        #expect(try body(store.requests(.post, "/v1/open-url").first) == ["url": "itms-services://?action=buy"])
    }

    @Test func `what is not promoted is explained, with the way round it`() async {
        let store = FakeStore()
        store.answer(
            "POST /v1/store-page/purchase", status: 422, StubTransport.problem(422, .productNotPromotable))
        let (status, said) = await store.run("intent", "pro.monthly", "--as", "alice")
        #expect(status == .refused)
        #expect(said.narration.contains("why: storebus promo list --device alice-1"))
        #expect(said.narration.contains("without promotion: storebus intent url pro.monthly"))
    }

    @Test func `M108: the test link is printed, and written as a code`() async throws {
        let directory = try TemporaryDirectory()
        let store = FakeStore()
        let link = await store.run("intent", "url", "pro.monthly")
        #expect(link.status == .success)
        #expect(link.said.result == "\(Promoted.link)\n")
        let path = "/admin/v1/apps/com.example.app/products/pro.monthly/test-url"
        #expect(store.requests(.get, path).map { $0.headers["Accept"] } == ["text/plain"])
        store.answer("GET \(path)") { request in
            (200, request.headers["Accept"] == "image/svg+xml" ? "<svg/>" : .string(Promoted.link))
        }
        let (status, said) = await store.run("intent", "url", "pro.monthly", "--svg", directory.file("code.svg"))
        #expect(status == .success)
        #expect(FileAccess.text(directory.file("code.svg")) == "\"<svg/>\"")
        #expect(said.narration.contains("note: a QR code of it is in \(directory.file("code.svg"))\n"))
    }

    // MARK: Looking at them

    @Test func `the list says the state of each, and what to look at`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/intents",
            JSONText.value(
                IntentsPage(intents: [
                    Promoted.intent(.cancelled, "i_1", warning: "It was cancelled without feedback."),
                    Promoted.intent(.deferred, "i_2", deferredBy: .timeout),
                    Promoted.intent(.pending, "i_3", answerBy: "2026-11-21T10:00:14Z"),
                    Promoted.intent(.continued, "i_4", transactionId: "t_1"),
                ])))
        let (status, said) = await store.run("intent", "list")
        #expect(status == .success)
        #expect(
            said.result == """
                INTENT  ACCOUNT  DEVICE   PRODUCT         STATE      FROM       EXPIRES               REMARKS
                i_1     alice    alice-2  hidden-beaches  cancelled  storePage  -
                i_2     alice    alice-2  hidden-beaches  deferred   storePage  2026-11-22 10:00:00Z  no answer in time
                i_3     alice    alice-2  hidden-beaches  pending    storePage  2026-11-22 10:00:00Z  answer by 2026-11-21 10:00:14Z
                i_4     alice    alice-2  hidden-beaches  continued  storePage  -                     became t_1

                """)
        #expect(
            said.narration == """
                note: i_1: It was cancelled without feedback.
                next: storebus buy hidden-beaches --as alice --device alice-2 --intent i_2

                """)
    }

    @Test func `the list is asked for page by page, with what the store can choose by`() async {
        let store = FakeStore()
        store.answer("GET /admin/v1/intents") { request in
            let isSecond = request.path.hasSuffix("after=i_1&limit=100")
            return (
                200,
                JSONText.value(
                    IntentsPage(
                        intents: [Promoted.intent(.pending, isSecond ? "i_2" : "i_1")], after: isSecond ? nil : "i_1"))
            )
        }
        let (_, said) = await store.run(
            "intent", "list", "--as", "alice", "--device", "alice-2", "--state", "pending", "--bundle-id", "a.b", "-o",
            "names")
        #expect(said.result == "i_1\ni_2\n")
        #expect(
            store.requests.first?.path
                == "/admin/v1/intents?bundleId=a.b&account=alice&deviceId=alice-2&state=pending&limit=100")
    }

    @Test func `an end that several have is not enough`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/intents",
            JSONText.value(
                IntentsPage(intents: [Promoted.intent(.pending, "i_a9"), Promoted.intent(.pending, "i_b9")]))
        )
        let (status, said) = await store.run("intent", "show", "9")
        #expect(status == .usage)
        #expect(said.narration.contains("give more of it: i_a9, i_b9"))
        #expect(await store.run("intent", "show", "i_a9").status == .success)
    }

    // MARK: Answering (M76–M86)

    @Test func `M77: continuing is the app's answer on its own device, and ends as a purchase`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("intent", "continue", "…2k9f")
        #expect(status == .success)
        let session = try body(store.requests(.post, "/v1/sessions").first)
        #expect(session["client"] == "app" && session["deviceId"] == "alice-2" && session["account"] == "alice")
        #expect(session["promotedPurchases"] == "delegate" && session["appVersion"] == "3.0")
        #expect(try body(store.requests(.post, Self.decision).first) == ["decision": "continue"])
        #expect(
            said.result == """
                continued  i_01j2k9f  hidden-beaches  alice on alice-2
                purchased  2000000000000001  trial, expires 2026-11-28 10:00:04Z

                """)
        #expect(said.narration == "next: storebus download fetch 2000000000000001 --as alice\n")
    }

    @Test(arguments: [
        (Fixtures.transaction("t_1", .failed), CLIExit.purchaseFailed),
        (Fixtures.transaction("t_1", .deferred), .purchaseDeferred),
    ])
    func `a payment that is not made is no success`(transaction: PaymentTransaction, status: CLIExit) async {
        let store = FakeStore()
        let decided = IntentDecisionResponse(
            intent: Promoted.told(Promoted.intent(.continued)), transaction: transaction)
        store.answer("POST \(Self.decision)", JSONText.value(decided))
        #expect(await store.run("intent", "continue", "i_01j2k9f").status == status)
        #expect(store.requests(.post, Self.decision).count == 1)
    }

    @Test func `I3: continuing asks again until there is an outcome, over answers that are lost`() async throws {
        let store = FakeStore()
        store.answer("POST \(Self.decision)") { [store] _ in
            let intent = Promoted.told(Promoted.intent(.continued))
            switch store.requests(.post, Self.decision).count {
            case 1: return (503, StubTransport.problem(503, .serviceUnavailable))
            case 2: return (202, JSONText.value(IntentDecisionResponse(intent: intent)))
            case 3:
                let purchasing = Fixtures.transaction("t_1", .purchasing)
                return (202, JSONText.value(IntentDecisionResponse(intent: intent, transaction: purchasing)))
            default:
                return (200, JSONText.value(IntentDecisionResponse(intent: intent, transaction: FakeStore.purchased)))
            }
        }
        let (status, said) = await store.run("intent", "continue", "i_01j2k9f", "--timeout", "1h")
        #expect(status == .success)
        let sent = try store.requests(.post, Self.decision).map { try body($0) }
        #expect(sent == Array(repeating: ["decision": "continue"], count: 4))
        #expect(said.result.contains("purchased  2000000000000001"))
    }

    @Test func `without an outcome in time nothing is claimed`() async {
        let store = FakeStore()
        store.answer(
            "POST \(Self.decision)",
            JSONText.value(IntentDecisionResponse(intent: Promoted.told(Promoted.intent(.continued)))))
        let (status, said) = await store.run("intent", "continue", "i_01j2k9f", "--timeout", "0s")
        #expect(status == .temporary)
        #expect(said.result == "continued  i_01j2k9f  hidden-beaches  alice on alice-2\n")
    }

    @Test func `M80: a deferred purchase goes on with its saved payment, once`() async throws {
        let store = FakeStore()
        let deferred = Promoted.told(Promoted.intent(.deferred, deferredBy: .answer))
        store.answer("POST \(Self.decision)", JSONText.value(IntentDecisionResponse(intent: deferred)))
        let (status, said) = await store.run("intent", "defer", "i_01j2k9f")
        #expect(status == .success)
        #expect(try body(store.requests(.post, Self.decision).first) == ["decision": "defer"])
        #expect(said.result == "deferred  i_01j2k9f  hidden-beaches  alice on alice-2\n")
        #expect(
            said.narration == "next: storebus buy hidden-beaches --as alice --device alice-2 --intent i_01j2k9f\n")
        _ = await store.run("buy", "hidden-beaches", "--as", "alice", "--device", "alice-2", "--intent", "2k9f")
        let payment = try body(store.requests(.post, "/v1/payments").first)
        #expect(payment["intentIdentifier"] == "i_01j2k9f" && payment["productIdentifier"] == "hidden-beaches")
        let (wrong, _) = await store.run(
            "buy", "pro.monthly", "--as", "alice", "--intent", "2k9f", "--offer", "code:spring")
        #expect(wrong == .usage)
    }

    @Test func `M85: cancelling shows the user's message, and warns of silence`() async throws {
        let store = FakeStore()
        let told = Promoted.told(Promoted.intent(.cancelled, feedback: "You have it."))
        store.answer("POST \(Self.decision)", JSONText.value(IntentDecisionResponse(intent: told)))
        let (status, said) = await store.run("intent", "cancel", "2k9f", "--feedback", "You have it.")
        #expect(status == .success)
        #expect(
            try body(store.requests(.post, Self.decision).first)
                == ["decision": "cancel", "feedback": "You have it."])
        #expect(said.result.contains("feedback: You have it."))
        #expect(!said.narration.contains("note:"))
        let silent = Promoted.told(Promoted.intent(.cancelled))
        store.answer("POST \(Self.decision)", JSONText.value(IntentDecisionResponse(intent: silent)))
        let warned = await store.run("intent", "cancel", "2k9f").said
        #expect(warned.narration.contains("note: the user got no feedback"))
    }

    @Test(arguments: [StoreErrorCode.intentDecided, .intentExpired])
    func `I2: an answer that comes too late is refused`(code: StoreErrorCode) async {
        let store = FakeStore()
        store.answer("POST \(Self.decision)", status: 409, StubTransport.problem(409, code))
        let (status, said) = await store.run("intent", "cancel", "i_01j2k9f")
        #expect(status == .refused)
        #expect(said.narration.contains("[\(code)]"))
    }

    // MARK: Events

    @Test func `what happens to them can be waited for`() async throws {
        let store = FakeStore()
        store.answer("GET /admin/v1/events/wait") { [store] _ in
            let isFirst = store.requests(.get, "/admin/v1/events/wait").count == 1
            let reply = IntentEventsReply(events: isFirst ? [] : [Promoted.event], after: isFirst ? "e_1" : "e_9")
            return (200, JSONText.value(reply))
        }
        let (status, said) = await store.run(
            "wait", "intentDeferred", "product~beach", "--as", "alice", "-o", "json", "--timeout", "1h")
        #expect(status == .success)
        let document = try StrictJSON.parse(Array(said.result.utf8))
        #expect(document["data"]?["intent"]?["intentIdentifier"] == "i_01j2k9f")
        #expect(document["after"] == "e_9")
        let asked = store.requests(.get, "/admin/v1/events/wait").map(\.path)
        #expect(asked[0].hasPrefix("/admin/v1/events/wait?type=intentDeferred&account=alice&timeout="))
        #expect(asked[1].contains("after=e_1"))
        #expect(await store.run("watch", "type=intentDeferred").status == .usage)
    }

    @Test func `the observer tells of a promoted purchase and of the app being opened`() async {
        let store = FakeStore()
        let intent = JSONText.line([
            "seq": 3, "intent": JSONText.value(Promoted.told(Promoted.intent(answerBy: "2026-11-21T10:00:14Z"))),
        ])
        let pieces = [
            "event: openApp\ndata: {\"seq\":2,\"intentIdentifier\":\"i_01j2k9f\"}\n\n",
            "event: promotedPurchase\ndata: \(intent)\n\n", "event: synchronized\ndata: {\"seq\":3}\n\n",
        ]
        store.stream("GET /v1/transactions/stream", pieces)
        let (status, said) = await store.run("device", "resume", "alice-1", "--as", "alice")
        #expect(status == .success)
        let lines = said.result.split(separator: "\n")
        #expect(lines.first?.hasSuffix("alice  the app is opened  i_01j2k9f") == true)
        #expect(
            lines.dropFirst().first?.hasSuffix(
                "promoted purchase  i_01j2k9f  hidden-beaches  answer by 2026-11-21 10:00:14Z") == true)
        let names = await store.run("device", "resume", "alice-1", "--as", "alice", "-o", "names").said
        #expect(names.result == "i_01j2k9f\n")
    }

    @Test func `an app that waits to be bought leads to its intents`() async {
        let store = FakeStore()
        let prompt = with(
            Prompt(
                id: "ap_1", kind: .appPurchase, bundleId: "com.example.app", account: "alice", transaction: nil,
                createdAt: Timestamp(milliseconds: 0), answers: [.approve, .cancel])
        ) {
            $0.productIdentifier = "hidden-beaches"
            $0.appPrice = Promoted.appPrice
        }
        store.answer("GET /admin/v1/prompts", JSONText.value(PromptsPage(prompts: [prompt])))
        store.answer("POST /admin/v1/prompts/ap_1", JSONText.value(prompt))
        let (_, listed) = await store.run("prompt", "list")
        #expect(
            listed.result.contains("ap_1    appPurchase  alice    hidden-beaches  4.99 USD  -  "), "\(listed.result)")
        let (status, said) = await store.run("prompt", "answer", "ap_1", "approve")
        #expect(status == .success)
        #expect(said.result == "answered  ap_1  approve  alice  hidden-beaches\n")
        #expect(said.narration == "next: storebus intent list --as alice\n")
    }
}

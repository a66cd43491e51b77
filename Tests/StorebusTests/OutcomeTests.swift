import EventLoop
import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

/// `buy --outcome`: the account is set for one purchase, and is afterwards as it was.
@Suite struct OutcomeTests {
    private static let path = "/admin/v1/testers/alice"

    private func puts(_ store: FakeStore) throws -> [JSONValue] {
        try store.requests(.put, Self.path).map { try StrictJSON.parse($0.body ?? []) }
    }

    @Test(arguments: [
        ("approve", "sheet", JSONValue.string("approve")), ("decline", "processor", "decline"),
        ("cancel", "sheet", "cancel"), ("ask-to-buy", "askToBuy", true), ("interrupted", "interruptPurchases", true),
        ("fail:paymentInvalid", "sheet", "decline:paymentInvalid"), ("fail:3", "sheet", "decline:paymentInvalid"),
        ("timeout", "processor", "timeoutAfter"), ("pending", "processor", "pending"),
    ])
    func `each outcome is a setting, and everything else lets the purchase pass`(
        text: String, member: String, value: JSONValue
    ) throws {
        let wanted = try #require(OutcomeOption(text))
        let set: JSONValue = [
            "storefront": "FRA", "sheet": "interactive", "processor": "slow", "signIn": .null,
            "simulatedErrors": ["purchase": "unknown", "restore": "unknown"],
        ]
        var expected: [String: JSONValue] = [
            "storefront": "FRA", "canMakePayments": true, "signIn": "ok", "sheet": "approve", "askToBuy": false,
            "interruptPurchases": false, "processor": "approve", "simulatedErrors": ["restore": "unknown"],
        ]
        expected[member] = value
        let before = try StoreJSON.decode(AccountSettings.self, from: StoreJSON.encode(set))
        #expect(JSONText.value(wanted.settings(over: before)) == .object(expected))
    }

    @Test(arguments: ["", "aproove", "fail", "fail:", "fail:99", "fail:nothing", "decline:3"])
    func `what is no outcome is refused before anything is sent`(text: String) async {
        #expect(OutcomeOption(text) == nil)
        let store = FakeStore()
        let (status, _) = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", text)
        #expect(status == .usage)
        #expect(store.requests.isEmpty)
    }

    @Test func `what was set before is put back`() async throws {
        let store = FakeStore(takesTime: true)
        let (status, _) = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", "pending")
        #expect(status == .success)
        let puts = try puts(store)
        #expect(puts.count == 2)
        #expect(puts.first?["processor"] == "pending")
        #expect(puts.last == ["storefront": "FRA", "sheet": "decline:paymentInvalid"])
        let order = store.requests.map { "\($0.method.rawValue) \($0.path)" }
        let payment = try #require(order.firstIndex(of: "POST /v1/payments"))
        #expect(order[payment - 1] == "PUT \(Self.path)" && order[payment + 1] == "PUT \(Self.path)")
        // The session makes a new account, with the storefront it was given; settings alone would not.
        #expect(try #require(order.firstIndex(of: "POST /v1/sessions")) < payment - 1)
    }

    @Test func `an account without settings is as new again`() async throws {
        let store = FakeStore()
        store.answer("GET \(Self.path)", status: 404, StubTransport.problem(404, .notFound))
        _ = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", "decline")
        #expect(store.requests(.delete, Self.path).count == 1)
        #expect(try puts(store).count == 1)
    }

    @Test func `a purchase that is refused leaves nothing set`() async throws {
        let store = FakeStore()
        store.answer("POST /v1/payments", status: 422, StubTransport.problem(422, .keyReused))
        let (status, said) = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", "cancel")
        #expect(status == .refused)
        #expect(said.narration.contains("[keyReused]"))
        #expect(try puts(store).last == ["storefront": "FRA", "sheet": "decline:paymentInvalid"])
    }

    @Test func `a setting whose answer was lost is put back too`() async throws {
        let store = FakeStore()
        store.answer("PUT \(Self.path)") { [store] _ in
            store.requests(.put, Self.path).count == 1
                ? (504, StubTransport.problem(504, .outcomeUnknown)) : (200, FakeStore.alice)
        }
        let (status, _) = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", "cancel")
        #expect(status == .temporary)
        #expect(store.requests(.post, "/v1/payments").isEmpty)
        #expect(try puts(store).last == ["storefront": "FRA", "sheet": "decline:paymentInvalid"])
    }

    @Test func `Ctrl-C ends the purchase, and what was set is put back all the same`() async throws {
        let store = FakeStore()
        let stop = Locked<(@Sendable () -> Void)?>(nil)
        store.answer("POST /v1/payments") { _ in
            stop.withLock { $0 }?()
            return (504, StubTransport.problem(504, .outcomeUnknown))
        }
        let (status, said) = await store.run(
            "buy", "pro.monthly", "--as", "alice", "--outcome", "timeout",
            onStop: { call in
                stop.withLock { $0 = call }
                return Recorder()
            })
        #expect(status == .interrupted)
        #expect(said.narration.contains("the settings of alice are as before"))
        #expect(store.requests(.post, "/v1/payments").count == 1)
        #expect(try puts(store).last == ["storefront": "FRA", "sheet": "decline:paymentInvalid"])
    }

    @Test func `a setting that cannot be put back is said beside the purchase`() async throws {
        let store = FakeStore()
        store.answer("PUT \(Self.path)") { [store] _ in
            store.requests(.put, Self.path).count == 1
                ? (200, FakeStore.alice) : (403, StubTransport.problem(403, .forbidden))
        }
        let (status, said) = await store.run(
            "buy", "pro.monthly", "--as", "alice", "--outcome", "approve", "-o", "json")
        #expect(status == .success)
        let document = try StrictJSON.parse(Array(said.result.utf8))
        let note = document["notes"]?.arrayValue?.first?.stringValue
        #expect(note?.contains("the settings of alice could not be put back") == true)
    }

    @Test func `an interrupted purchase says how it goes on`() async {
        let store = FakeStore()
        var interrupted = Fixtures.transaction("t_1", .failed)
        interrupted.error = TransactionError(.unknown, "The purchase was interrupted.", reason: "interrupted")
        store.answer("POST /v1/payments", JSONText.value(interrupted))
        let (status, said) = await store.run("buy", "pro.monthly", "--as", "alice", "--outcome", "interrupted")
        #expect(status == .purchaseFailed)
        #expect(said.narration.contains("next: storebus resolve t_1"))
        #expect(said.result.contains("nothing was charged until it is resolved"))
    }
}

import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus code`.
@Suite struct CodeCommandTests {
    private static let app = "/admin/v1/apps/com.example.app/codes"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    @Test func `a custom code is made as it was typed`() async throws {
        let store = FakeStore()
        store.answer("POST \(Self.app)", status: 201, JSONText.value(with(FakeStore.word) { $0.isActive = true }))
        let (status, said) = await store.run(
            "code", "create", "pro.monthly", "SPRING", "--code", "SPRING26", "--limit", "500", "--days", "30")
        #expect(status == .success)
        #expect(said.result.hasPrefix("code      SPRING26\nproduct   pro.monthly\noffer     SPRING\n"))
        #expect(said.narration.contains("next: storebus code redeem SPRING26 --as alice"))
        let sent = try body(store.requests(.post, Self.app).first)
        #expect(
            sent == [
                "productIdentifier": "pro.monthly", "offer": "SPRING", "code": "SPRING26", "redemptionsMax": 500,
                "expiresInDays": 30,
            ])
    }

    @Test func `the names of a new batch are its codes, one a line`() async {
        let (_, said) = await FakeStore().run(
            "code", "create", "pro.monthly", "SPRING", "--count", "2", "--days", "90", "-o", "names")
        #expect(said.result == "00000000AAAAAAAA\n11111111BBBBBBBB\n")
    }

    @Test(arguments: [
        [], ["--code", "A"], ["--count", "2"], ["--count", "2", "--days", "9", "--limit", "3"],
        ["--code", "A", "--limit", "1", "--count", "2"], ["--code", "A", "--limit", "0"],
        ["--count", "2", "--days", "400"],
    ])
    func `options that make no code are refused before a request`(options: [String]) async {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["code", "create", "pro.monthly", "SPRING"] + options, variables: ["STOREBUS_ADMIN_KEY": "a"],
            transport: store)
        #expect(status == .usage)
        #expect(store.requests.isEmpty)
    }

    @Test func `the list shows words and batches`() async {
        let (_, said) = await FakeStore().run("code", "list")
        #expect(
            said.result == """
                CODE      PRODUCT      OFFER   REDEEMED  ENDS                  STATE
                SPRING26  pro.monthly  SPRING  3 of 500  -                     inactive
                o_1       pro.monthly  SPRING  0 of 2    2027-02-16 11:06:40Z  active

                """)
    }

    @Test func `a code is deactivated by its word in any case, and an unknown one is not`() async throws {
        let store = FakeStore()
        let (status, _) = await store.run("code", "deactivate", "spring26")
        #expect(status == .success)
        #expect(try body(store.requests(.put, "\(Self.app)/o_0").first) == ["isActive": false])
        let (failed, said) = await store.run("code", "deactivate", "SPRING27")
        #expect(failed == .refused)
        #expect(said.narration.contains("SPRING26"))
        #expect(said.narration.contains("storebus code list"))
    }

    @Test func `a redemption is sent again with its key while the store cannot say how it ended`() async throws {
        let store = FakeStore()
        let attempts = Locked(0)
        store.precede("POST /v1/codes/SPRING26/redeem") { _ in
            attempts.withLock { count in
                count += 1
                return count == 1 ? (504, StubTransport.problem(504, .outcomeUnknown)) : nil
            }
        }
        let (status, said) = await store.run("code", "redeem", "SPRING26", "--as", "alice")
        #expect(status == .success)
        #expect(said.result.contains("purchased  "))
        let keys = store.requests(.post, "/v1/codes/SPRING26/redeem").map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 2 && keys[0] != nil && keys[0] == keys[1])
    }

    @Test func `a redemption whose charge is declined has nothing to finish`() async {
        let store = FakeStore()
        var failed = Fixtures.transaction("t_1", .failed)
        failed.error = TransactionError(.unknown, "The sandbox declines every charge.")
        store.answer(
            "POST /v1/codes/SPRING26/redeem", JSONText.value(PurchaseResponse(outcome: .failed, transaction: failed)))
        let (status, said) = await store.run("code", "redeem", "SPRING26", "--as", "alice")
        #expect(status == .purchaseFailed)
        #expect(said.result.contains("The sandbox declines every charge; nothing was charged"))
        #expect(!said.narration.contains("next:"))
    }

    @Test func `a refused code ends the command, with the reason and the remedy`() async {
        let store = FakeStore()
        store.answer("POST /v1/codes/SPRING26/redeem", status: 409, StubTransport.problem(409, .codeSpent))
        let (status, said) = await store.run("code", "redeem", "SPRING26", "--as", "alice")
        #expect(status == .refused)
        #expect(said.narration.contains("[codeSpent]"))
        #expect(said.narration.contains(StoreErrorCode.codeSpent.remedy))
    }
}

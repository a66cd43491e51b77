import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus family`.
@Suite struct FamilyCommandTests {
    private static let smith = "/admin/v1/apps/com.example.app/families/smith"

    private func body(_ request: StoreRequest?) throws -> JSONValue {
        try StrictJSON.parse(try #require(request?.body))
    }

    @Test func `a family is made of its organiser, and a member is added`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("family", "create", "smith", "alice")
        #expect(status == .success)
        #expect(said.narration.contains("next: storebus family add smith bob"))
        #expect(try body(store.requests(.put, Self.smith).first) == ["organiser": "alice"])
        let (added, other) = await store.run("family", "add", "smith", "bob")
        #expect(added == .success)
        #expect(other.narration.contains("next: storebus tx list --as bob"))
        #expect(try body(store.requests(.put, "\(Self.smith)/members/bob").first) == [:])
        // Both are customers before they are named.
        let accounts = store.requests(.post, "/v1/sessions").compactMap { try? body($0)["account"]?.stringValue }
        #expect(accounts == ["alice", "bob"])
    }

    @Test func `the list has a row for each person`() async {
        let (_, said) = await FakeStore().run("family", "list")
        #expect(
            said.result == """
                FAMILY  ACCOUNT  ROLE       SHARES  RECEIVES  JOINED
                smith   alice    organiser  yes     yes       2026-11-18 11:06:40Z
                smith   bob      member     no      yes       2026-11-18 11:06:40Z

                """)
        let (_, names) = await FakeStore().run("family", "list", "-o", "names")
        #expect(names.result == "alice\nbob\n")
    }

    @Test func `what a member shares is sent as it was typed`() async throws {
        let store = FakeStore()
        _ = await store.run("family", "add", "smith", "bob", "--shares", "no", "--receives", "yes")
        #expect(
            try body(store.requests(.put, "\(Self.smith)/members/bob").first)
                == ["sharesPurchases": false, "receivesPurchases": true])
        let (status, _) = await store.run("family", "add", "smith", "bob", "--shares", "maybe")
        #expect(status == .usage)
    }

    @Test func `a member leaves, and a family ends`() async {
        let store = FakeStore()
        let (left, _) = await store.run("family", "remove", "smith", "bob")
        #expect(left == .success && store.requests(.delete, "\(Self.smith)/members/bob").count == 1)
        let (ended, said) = await store.run("family", "end", "smith")
        #expect(ended == .success && said.result == "ended  smith\n")
    }

    @Test func `what the store refuses is told in its words`() async {
        let store = FakeStore()
        store.answer("PUT \(Self.smith)/members/bob", status: 422, StubTransport.problem(422, .requestInvalid))
        let (status, said) = await store.run("family", "add", "smith", "bob")
        #expect(status == .refused || status == .usage)
        #expect(said.narration.contains("as the test wants it"))
    }
}

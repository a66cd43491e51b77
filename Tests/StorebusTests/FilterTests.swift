import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

@Suite struct FilterTests {
    private let now = Timestamp(milliseconds: 1_795_255_264_000)

    private func matches(_ words: String...) throws -> Bool {
        try Filter(words, bare: "type").matches(
            FakeStore.purchased, account: "alice", bundleId: "com.example.app", type: .finished, now: now)
    }

    @Test func `all terms must hold`() throws {
        #expect(try matches())
        #expect(try matches("account=alice product~pro."))
        #expect(try matches("account=alice", "state=purchased", "finished"))
        #expect(try !matches("account=bob"))
        #expect(try !matches("account=alice", "product=pro"))
        #expect(try matches("id=2000000000000001"))
        #expect(try matches("id~0001"))
        #expect(try !matches("purchased"))
    }

    @Test func `since counts back from now`() throws {
        #expect(try matches("since=2m"))
        #expect(try !matches("since=10s"))
    }

    @Test(arguments: [
        ("stat=purchased", "did you mean 'state'?"), ("state=purchasd", "did you mean 'purchased'?"),
        ("type=finish", "did you mean 'finished'?"), ("since=yesterday", "for example since=10m"),
    ])
    func `a misspelt term is answered with the one that was meant`(text: String, hint: String) {
        let error = #expect(throws: CLIError.self) { try Filter([text]) }
        #expect(error?.status == .usage)
        #expect(error?.hints.first?.text == hint)
    }

    @Test func `a bare word needs a name it is the value of`() {
        #expect(throws: CLIError.self) { try Filter(["purchased"]) }
    }

    @Test func `what the store can choose by is asked of it, the rest is chosen here`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("tx", "list", "account=alice", "product~nothing", "-o", "json")
        #expect(status == .success)
        #expect(said.result.contains(#""data":[]"#))
        let request = try #require(store.requests(.get, "/admin/v1/transactions").first)
        #expect(request.path.contains("account=alice"))
        #expect(!request.path.contains("nothing"))
    }
}

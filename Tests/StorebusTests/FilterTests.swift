import Foundation
import StoreHTTP
import StoreModels
import Testing

@testable import Storebus

@Suite struct FilterTests {
    private let now = Timestamp(milliseconds: 1_795_255_264_000)

    private func matches(_ words: String...) throws -> Bool {
        try Filter(words, ofEvents: true).matches(
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

    @Test func `the console and the command line understand the same filters`() throws {
        struct Cases: Decodable {
            struct Row: Decodable {
                var id, product, state, device, account, bundleId: String
                var identifier: String?
                var takenBack: String?
                var date: Timestamp?
                var finished: Bool
            }
            struct Case: Decodable {
                var filter: String
                var matches: [String]?
            }
            var now: Timestamp
            var rows: [Row]
            var cases: [Case]
        }
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Filters/cases.json")
        let said = try StoreJSON.decode(Cases.self, from: Array(Data(contentsOf: path)))
        for one in said.cases {
            guard let expected = one.matches else {
                #expect(throws: CLIError.self, "\(one.filter)") { try Filter([one.filter]) }
                continue
            }
            let filter = try Filter([one.filter])
            let found = said.rows.filter { row in
                var transaction = FakeStore.purchased
                transaction.id = row.id
                transaction.transactionIdentifier = row.identifier
                transaction.transactionState = TransactionState(rawValue: row.state) ?? .purchased
                transaction.payment.productIdentifier = row.product
                transaction.transactionDate = row.date
                transaction.originDeviceId = row.device
                transaction.revocationDate = row.takenBack.map { _ in said.now }
                transaction.revocationType = row.takenBack == "refunded" ? .refundFull : nil
                return filter.matches(
                    transaction, account: row.account, bundleId: row.bundleId, isFinished: row.finished,
                    now: said.now)
            }
            #expect(found.map(\.id) == expected, "\(one.filter)")
        }
    }

    @Test func `since counts back by the app's clock`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run("tx", "list", "since=1d", "-o", "names")
        #expect(status == .success)
        #expect(said.result == "2000000000000001\n")
        #expect(store.requests(.get, "/admin/v1/apps/com.example.app/clock").count == 1)
    }

    @Test(arguments: [["watch", "finished=no"], ["tx", "watch", "finished~y"], ["wait", "finished=yes"]])
    func `an event does not say whether its transaction is finished`(command: [String]) async {
        let store = FakeStore()
        let (status, said) = await Recorder.run(
            command, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store)
        #expect(status == .usage)
        #expect(said.narration.contains("a filter of events knows no 'finished'"), "\(said.narration)")
        #expect(said.narration.contains("type=finished"))
        #expect(store.requests.allSatisfy { !$0.path.contains("events") }, "no stream begins")
    }

    @Test(
        arguments: [
            ("state=refunded", nil), ("state=revoked", "2000000000000002\n"), ("state=restored", nil),
        ] as [(String, String?)])
    func `what was taken back is in any of the store's states, and is chosen here`(
        filter: String, found: String?
    ) async throws {
        let store = FakeStore()
        var copy = FakeStore.restored
        copy.revocationDate = now
        store.list([copy])
        let (status, said) = await store.run("tx", "list", filter, "-o", "names")
        #expect(status == .success)
        #expect(said.result == found ?? "")
        let request = try #require(store.requests(.get, "/admin/v1/transactions").first)
        #expect(request.path.contains("state=") == (filter == "state=restored"), "\(request.path)")
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

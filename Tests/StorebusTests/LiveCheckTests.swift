import EventLoop
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus chaos check --live`: what serves passes, and each thing that does not hold is named.
@Suite struct LiveCheckTests {
    private static let app = "/admin/v1/apps/\(LiveCheck.bundleId)"

    /// A store that forgets a finished transaction, as it has to.
    private static func store() -> FakeStore {
        let store = FakeStore()
        let isFinished = Locked(false)
        store.answer("GET \(app)", JSONText.value(Promoted.app))
        store.answer("POST /v1/transactions/t_1/finish") { _ in
            isFinished.withLock { $0 = true }
            return (200, JSONText.value(FakeStore.purchased))
        }
        store.answer("GET /v1/transactions") { _ in
            let unfinished = isFinished.withLock { $0 } ? [] : [FakeStore.purchased]
            return (200, JSONText.value(TransactionsPage(transactions: unfinished)))
        }
        store.answer("GET /v1/history", JSONText.value(TransactionsPage(transactions: [FakeStore.purchased])))
        return store
    }

    private func run(_ store: FakeStore, _ ledger: LiveCheck.Ledger? = nil) async -> LiveCheck.Result {
        let api = StoreAPI(transport: store, url: "http://store", adminKey: "admin")
        // Over: a request that fails is not repeated.
        return await LiveCheck(api: api, account: "live-1", deadline: .now).run(ledger)
    }

    private func charge(_ outcome: Charge.Outcome, _ amount: Money?) -> Charge {
        Charge(
            chargeKey: "purchase:t_1", chargeIdentifier: "1", outcome: outcome, amount: amount,
            createdAt: Timestamp(milliseconds: 0))
    }

    @Test func `a store that serves passes every check`() async {
        let result = await run(Self.store()) { key throws(CLIError) in
            #expect(key == "purchase:t_1")
            return [self.charge(.approved, FakeStore.purchased.price)]
        }
        #expect(result.isGood, "\(result.line)")
        #expect(
            result.findings.map(\.name) == [
                "catalogue", "session", "purchase", "retry", "unfinished", "finish", "restore", "history", "ledger",
            ])
        #expect(result.line.hasPrefix("SERVES  9 checks in "))
        #expect(result.json["serves"] == .bool(true))
    }

    @Test func `an app that is not there is made`() async {
        let store = Self.store()
        store.answer("GET \(Self.app)", status: 404, StubTransport.problem(404, .notFound))
        let result = await run(store)
        #expect(store.requests(.put, "\(Self.app)/catalog").count == 1)
        #expect(result.findings.first?.name == "catalogue")
    }

    @Test(arguments: [
        ("POST /v1/sessions", "session"), ("POST /v1/payments", "purchase"), ("GET /v1/transactions", "unfinished"),
        ("POST /v1/transactions/t_1/finish", "finish"), ("POST /v1/restore", "restore"),
        ("GET /v1/history", "history"),
    ])
    func `what the store refuses is the one line of the result`(request: String, name: String) async {
        let store = Self.store()
        store.answer(request, status: 503, StubTransport.problem(503, .serviceUnavailable))
        let result = await run(store)
        #expect(!result.isGood)
        #expect(result.findings.last?.name == name)
        #expect(result.line.hasPrefix("FAILS  \(name): "), "\(result.line)")
        #expect(result.line.contains("[serviceUnavailable]"), "\(result.line)")
        #expect(result.findings.dropLast().allSatisfy { $0.fault == nil })
    }

    @Test func `a retry that is another purchase does not hold`() async {
        let store = Self.store()
        let count = Locked(0)
        store.answer("POST /v1/payments") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            var made = FakeStore.purchased
            made.transactionIdentifier = "200000000000000\(number)"
            return (201, JSONText.value(made))
        }
        #expect(await run(store).line.hasPrefix("FAILS  retry: the same key has transaction"))
    }

    @Test func `a finished transaction that stays does not hold`() async {
        let store = Self.store()
        store.answer(
            "GET /v1/transactions", JSONText.value(TransactionsPage(transactions: [FakeStore.purchased])))
        #expect(await run(store).line.hasPrefix("FAILS  finish: the finished transaction"))
    }

    @Test func `a purchase that is missing in the history does not hold`() async {
        let store = Self.store()
        store.answer("GET /v1/history", JSONText.value(TransactionsPage(transactions: [])))
        #expect(await run(store).line.hasPrefix("FAILS  history: the purchase is 0 times"))
    }

    @Test func `a purchase that was charged twice, declined or not at all does not hold`() async {
        let good = charge(.approved, FakeStore.purchased.price)
        for (charges, words) in [
            ([], "charged 0 times"), ([good, good], "charged 2 times"),
            ([charge(.declined, FakeStore.purchased.price)], "the charge is declined"),
            ([charge(.approved, nil)], "another amount"),
        ] {
            let result = await run(Self.store()) { _ throws(CLIError) in charges }
            #expect(result.findings.last?.name == "ledger")
            #expect(result.line.contains(words), "\(result.line)")
        }
    }

    @Test func `a ledger that may not be read is said, and no fault`() async {
        let result = await run(Self.store()) { _ throws(CLIError) in
            throw CLIError(.busRefused, "the operator may not")
        }
        #expect(result.isGood)
        #expect(result.line.hasSuffix("the ledger was not read (the operator may not)"))
        #expect(await run(Self.store()).ledgerUnread == "no bus")
        let silent = await run(Self.store()) { _ throws(CLIError) in
            throw CLIError(.noResponders, "the ledger: nothing answers", retryable: true)
        }
        #expect(silent.line == "FAILS  ledger: the ledger: nothing answers [nobodyAnswers]")
    }

    @Test func `the command prints the line or JSON and exits with 0 or 1`() async {
        let (status, said) = await Self.store().run("chaos", "check", "--live", "--url", "http://store")
        #expect(status == .success)
        #expect(said.result.hasPrefix("SERVES  8 checks in "), "\(said.result)")
        let store = Self.store()
        store.answer("GET /v1/history", JSONText.value(TransactionsPage(transactions: [])))
        let (failed, words) = await store.run(
            "chaos", "check", "--live", "--seconds", "1", "--url", "http://store", "-o", "json")
        #expect(failed == .refused)
        #expect(words.result.contains(#""serves":false"#), "\(words.result)")
    }

    @Test(arguments: [
        (["chaos", "check"], "name the directory of a run, or --live"),
        (["chaos", "check", "chaos-7", "--live"], "name the directory of a run, or --live"),
        (["chaos", "check", "--live", "--seconds", "0"], "--seconds is 1 to 3600"),
        (["chaos", "check", "--live", "--url", "http://store"], "needs the operator's key"),
    ])
    func `a wrong command line is refused`(arguments: [String], message: String) async {
        let (status, said) = await Recorder.run(arguments, transport: Self.store())
        #expect(status == .usage)
        #expect(said.narration.contains(message), "\(said.narration)")
    }
}

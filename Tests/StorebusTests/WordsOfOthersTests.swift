import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What people type who come from other programs, and the answers.
@Suite struct WordsOfOthersTests {
    @Test(arguments: [
        ("start", "up"), ("stop", "down"), ("purchase", "buy"), ("subscription", "sub"), ("clock", "time"),
        ("user", "account"), ("ps", "status"), ("webhook", "listen"), ("notification", "notifications"),
        ("inbox", "prompt"), ("bus tap", "bus trace"), ("bus listen", "bus sub"),
    ])
    func `another program's word for a command is answered with ours`(word: String, command: String) async {
        let (status, said) = await Recorder.run(word.split(separator: " ").map(String.init))
        #expect(status == .usage)
        #expect(said.narration.contains("did you mean 'storebus \(command)'?"))
    }

    @Test func `minutes and months are distinguished`() async {
        #expect(
            await FakeStore().run("time", "advance", "3m").said.narration
                .contains("note: 3m is 3 minutes; months are 3mo: storebus time advance 3mo"))
        #expect(await FakeStore().run("time", "advance", "3mo").said.narration.contains("minutes") == false)
    }

    @Test(arguments: [
        (["account", "set", "--help"], ["monthlyRenewalEveryThirtySeconds", "paymentInvalid", "networkError"]),
        (["app", "set", "--help"], ["monthlyRenewalEveryThirtySeconds", "catalogue"]),
        (["sub", "list", "--help"], ["inBillingRetryPeriod"]), (["tx", "list", "--help"], ["deferred"]),
    ])
    func `help names the values an option takes`(command: [String], values: [String]) async {
        let help = await Recorder.run(command).said.result
        for value in values { #expect(help.contains(value), "\(value)") }
    }

    @Test func `a trace in an error is found in the logs`() async throws {
        let project = try TemporaryDirectory()
        let directory = DataDirectory(project.file(".storebus"))
        try directory.prepare()
        let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
        func line(_ message: String, _ trace: String) -> String {
            #"{"time":"2026-11-21T10:00:01.000Z","level":"info","message":"\#(message)","traceID":"\#(trace)"}"# + "\n"
        }
        let text = line("mine", trace) + line("other", "00000000000000000000000000000000")
        try FileAccess.write(Array(text.utf8), to: directory.logFile("gateway"), mode: 0o600)
        for wanted in [trace, "4bf92f35", "4BF92F35"] {
            let said = await Recorder.run(["logs", "--trace", wanted], directory: project.path).said
            #expect(said.result.split(separator: "\n").count == 1)
            #expect(said.result.contains("mine"))
        }
        let none = await Recorder.run(["logs", "--trace", "ffffffff"], directory: project.path)
        #expect(none.status == .refused)
        #expect(none.said.narration.contains("no line of trace ffffffff"))
        let bare = await Recorder.run(["logs", trace], directory: project.path)
        #expect(bare.status == .usage)
        #expect(bare.said.narration.contains("--trace \(trace)"))
    }

    @Test func `a missing admin key is said in the command line's own words`() async {
        let store = FakeStore()
        store.answer(
            "GET /admin/v1/transactions", status: 401, StubTransport.problem(401, .unauthenticated))
        let said = await Recorder.run(["tx", "list"], transport: store).said
        #expect(said.narration.contains("there is no .storebus here or above, and STOREBUS_ADMIN_KEY is not set"))
        let refused = await store.run("tx", "list").said.narration
        #expect(!refused.contains(".storebus here or above"), "a key was sent")
    }

    @Test(arguments: [(TransactionState.purchased, "charged"), (.deferred, "to be charged")])
    func `an owned product says the charge`(state: TransactionState, words: String) async {
        let store = FakeStore()
        var owned = Fixtures.transaction(
            "t_1", state, identifier: state == .purchased ? "2000000000000001" : nil)
        owned.price = Fixtures.money("0.00")
        owned.payment.productIdentifier = "hidden-beaches"
        store.answer("POST /v1/payments", JSONText.value(owned))
        store.answer(
            "POST /v1/products/query",
            JSONText.value(
                ProductsResponse(products: [FakeStore.products[1]], invalidProductIdentifiers: [], degraded: [])))
        let said = await store.run("buy", "hidden-beaches", "--as", "alice").said
        #expect(said.result.contains("price      1.99 USD      \(words) 0.00 USD, alice owns it already\n"))
    }

    @Test func `product show has all offers of a subscription`() async {
        let text = await FakeStore().run("product", "show", "pro.monthly").said.result
        for line in [
            "promotional  loyal: 1.99 USD a month for 3 months",
            "code         SPRING: 1 month free, for new and expired customers, with the introductory offer besides",
            "win-back     back: 1 month free, after 6 paid months, 2 to 24 months after the end, again after 3 months",
            "win-back     closed: 1 month free, for no customer: isEligible is false",
        ] { #expect(text.contains(line + "\n"), "\(text)") }
    }
}

/// `reset --settings` and `--everything`.
@Suite struct SettingsResetTests {
    private static let app = "/admin/v1/apps/com.example.app"

    private func store() -> FakeStore {
        let store = FakeStore()
        var app = Promoted.app
        app.settings.billingGracePeriod = true
        app.settings.subscriptionRenewalRate = .oneRenewalEveryMinute
        store.answer("GET \(Self.app)", JSONText.value(app))
        return store
    }

    @Test func `the settings of accounts and of the app go back to what an import leaves`() async throws {
        let store = store()
        store.answer(
            "GET \(Self.app)/catalog", ["products": [], "settings": ["_billingGracePeriodEnabled": true]])
        let (status, said) = await store.run("reset", "--settings", "--yes")
        #expect(status == .success, "\(said.narration)")
        #expect(said.result.hasSuffix("1 transaction deleted, the settings of 1 account, the app's settings\n"))
        #expect(store.requests(.delete, "/admin/v1/testers/alice").count == 1)
        let told = try StoreJSON.decode(
            AppSettings.self, from: try #require(store.requests(.put, Self.app).last?.body))
        #expect(told == AppSettings(name: "Example", billingGracePeriod: true))
        #expect(store.requests(.delete, "/admin/v1/devices/alice-1").isEmpty)
    }

    @Test func `everything is the devices too, and a dry run only says so`() async {
        let store = store()
        let tried = await store.run("reset", "--everything", "--dry-run").said
        #expect(tried.result.hasSuffix("the settings of 1 account, the app's settings, 1 device\n"))
        #expect(store.requests.allSatisfy { $0.method == .get })
        #expect(await store.run("reset", "--everything", "--yes").status == .success)
        #expect(store.requests(.delete, "/admin/v1/devices/alice-1").count == 1)
    }

    @Test func `a reset of one account leaves the others and the clock alone`() async {
        let store = store()
        let (status, said) = await store.run("reset", "--as", "alice", "--settings", "--yes")
        #expect(status == .success, "\(said.narration)")
        #expect(said.result == "reset  alice in com.example.app: 1 transaction deleted, the settings of alice\n")
        #expect(store.requests(.delete, "\(Self.app)/transactions").first?.path.hasSuffix("?account=alice") == true)
        #expect(store.requests(.delete, "/admin/v1/testers/alice").count == 1)
        #expect(store.requests(.post, "\(Self.app)/reset").isEmpty)
    }

    @Test func `a plain reset leaves settings and devices alone`() async {
        let store = store()
        #expect(await store.run("reset", "--yes").status == .success)
        #expect(store.requests.allSatisfy { $0.method != .delete && $0.method != .put })
    }
}

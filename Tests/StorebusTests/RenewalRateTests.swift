import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// A catalogue's `_timeRate` makes subscriptions renew every half minute: everything that shows time says so, and one
/// command undoes it.
@Suite struct RenewalRateTests {
    private static let path = "/admin/v1/apps/com.example.app"
    private static let sentence =
        "subscriptions renew every 30 s because the file says _timeRate 15 (monthlyRenewalEveryThirtySeconds)"

    private static let hurried = App(
        bundleId: "com.example.app", settings: AppSettings(name: "Example"), catalogVersion: 7,
        testerDefaults: TesterSettings(
            storefront: "CHN", subscriptionRenewalRate: .monthlyRenewalEveryThirtySeconds),
        timeRate: 15)

    private func store(_ app: App = hurried) -> FakeStore {
        let store = FakeStore()
        store.answer("GET \(Self.path)", JSONText.value(app))
        return store
    }

    @Test(arguments: [["app", "show"], ["time", "status"], ["account", "show", "bob"]])
    func `what shows time says why it is short, and what undoes it`(command: [String]) async {
        let store = store()
        store.answer("GET /admin/v1/testers/bob", Self.unset)
        let said = await Recorder.run(
            command, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store
        ).said
        #expect(said.narration.contains("note: \(Self.sentence)"), "\(said.narration)")
        #expect(said.narration.contains("storebus app set --renewal-rate realTime"))
    }

    @Test func `an import says so`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("App.storekit")
        try FileAccess.write(Array(#"{"products":[]}"#.utf8), to: file, mode: 0o600)
        #expect(await store().run("import", file).said.narration.contains("note: \(Self.sentence)"))
        #expect(await FakeStore().run("import", file).said.narration.contains("renew every") == false)
        withExtendedLifetime(directory) {}
    }

    @Test func `the banner of up says so above the clock`() {
        let banner = Banner(
            url: "u", bus: .init(url: "b", services: []), locations: .init(dataDirectory: "d", adminKey: "k"),
            app: .init(bundleId: "com.example.app", renewals: Advice(Self.sentence)), startedIn: .zero)
        #expect(banner.text.contains("    note: \(Self.sentence)\n"))
    }

    @Test func `time status has it among its facts, in JSON too, and says nothing in real time`() async {
        #expect(await store().run("time", "status").said.result.contains("renewals  \(Self.sentence)\n"))
        #expect(await store().run("time", "status", "-o", "json").said.result.contains(Self.sentence))
        #expect(await FakeStore().run("time", "status").said.result.contains("renewals") == false)
    }

    /// An account without settings.
    private static let unset: JSONValue = [
        "account": "bob", "storefront": "USA", "canMakePayments": true, "sheet": "auto",
        "subscriptionRenewalRate": "realTime", "overrides": .object([:]),
    ]

    @Test func `an account is shown as it behaves in the app, also before its first purchase`() async throws {
        let store = store()
        store.answer("GET /admin/v1/testers/bob", Self.unset)
        let said = await store.run("account", "show", "bob").said
        #expect(said.result.contains("storefront               CHN  (app)\n"))
        #expect(said.result.contains("subscriptionRenewalRate  monthlyRenewalEveryThirtySeconds  (app)\n"))
        #expect(said.result.contains("sheet                    auto\n"))
        let json = await store.run("account", "show", "bob", "-o", "json").said.result
        let data = try #require(try StrictJSON.parse(Array(json.utf8))["data"])
        #expect(data["subscriptionRenewalRate"] == "monthlyRenewalEveryThirtySeconds")
        #expect(data["appDefaults"]?["storefront"] == "CHN")
        // What was set of the account itself counts before the app's.
        let alice = await store.run("account", "show", "alice").said.result
        #expect(alice.contains("storefront               FRA  (set)\n"))
    }

    @Test func `app set undoes it, and gives the catalogue its say again`() async throws {
        let store = store()
        let (status, said) = await store.run("app", "set", "--renewal-rate", "realTime")
        #expect(status == .success, "\(said.narration)")
        func told() throws -> AppSettings {
            try StoreJSON.decode(AppSettings.self, from: try #require(store.requests(.put, Self.path).last?.body))
        }
        #expect(try told().subscriptionRenewalRate == .realTime)
        _ = await store.run("app", "set", "--renewal-rate", "catalogue")
        #expect(try told().subscriptionRenewalRate == nil)
        #expect(await store.run("app", "set", "--renewal-rate", "fast").status == .usage)
    }

    @Test func `a rate the app itself is set to is not blamed on the file`() async {
        var app = Self.hurried
        app.settings.subscriptionRenewalRate = .oneRenewalEveryMinute
        app.testerDefaults?.subscriptionRenewalRate = .oneRenewalEveryMinute
        let said = await store(app).run("app", "show").said
        #expect(said.narration.contains("subscriptions renew every minute because the app is set so"))
        app.testerDefaults?.subscriptionRenewalRate = .realTime
        #expect(await store(app).run("app", "show").said.narration.contains("renew every") == false)
    }
}

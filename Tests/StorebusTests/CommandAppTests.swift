import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `storebus app`: what the store knows of an app, and what of it decides about promoted purchases.
@Suite struct CommandAppTests {
    private let path = "/admin/v1/apps/com.example.app"

    /// The settings sent to the store.
    private func told(_ store: FakeStore) throws -> AppSettings {
        try StoreJSON.decode(AppSettings.self, from: try #require(store.requests(.put, path).last?.body))
    }

    @Test func `what is set is put over what was set, and all of it is sent`() async throws {
        let store = FakeStore()
        let (status, said) = await store.run(
            "app", "set", "--name", "Trails", "--price", "4.99USD", "--current-version", "2.0",
            "--promotions-since", "1.5")
        #expect(status == .success, "\(said.narration)")
        var expected = AppSettings(name: "Trails", appPrice: Promoted.appPrice, currentVersion: "2.0")
        expected.promotionsSupportedSince = "1.5"
        #expect(try told(store) == expected)
        _ = await store.run("app", "set", "--released", "false")
        expected = Promoted.app.settings
        expected.released = false
        #expect(try told(store) == expected)
    }

    @Test func `free, all and none take away what was set`() async throws {
        let store = FakeStore()
        var app = Promoted.app
        app.settings.appPrice = Promoted.appPrice
        app.settings.promotionsSupportedSince = "2.0"
        app.settings.unfinishedLimit = 3
        store.answer("GET \(path)", JSONText.value(app))
        let (status, _) = await store.run(
            "app", "set", "--price", "free", "--promotions-since", "all", "--unfinished-limit", "none")
        #expect(status == .success)
        #expect(try told(store) == Promoted.app.settings)
    }

    @Test(arguments: [("4.99USD", "4.99"), ("4.99 usd", "4.99"), ("300JPY", "300"), ("0EUR", "0.00")])
    func `a price is an amount with its currency`(text: String, amount: String) async throws {
        let store = FakeStore()
        let (status, _) = await store.run("app", "set", "--price", text)
        #expect(status == .success)
        #expect(try told(store).appPrice?.amount == amount)
    }

    @Test(arguments: [
        ["--price", "4.99"], ["--price", "4.999USD"], ["--price", "USD"], ["--price", "dear"],
        ["--unfinished-limit", "many"], ["--released", "perhaps"], [],
    ])
    func `what cannot be set is a usage error, and the store is not asked`(options: [String]) async {
        let store = FakeStore()
        let (status, _) = await Recorder.run(
            ["app", "set"] + options, variables: ["STOREBUS_ADMIN_KEY": "admin"], transport: store)
        #expect(status == .usage)
        #expect(store.requests.isEmpty)
    }

    @Test func `an unknown app is not made by a spelling mistake`() async {
        let store = FakeStore()
        let (status, said) = await store.run("app", "set", "--price", "free", "--bundle-id", "com.example.ap")
        #expect(status != .success)
        #expect(said.narration.contains("there is no app 'com.example.ap'"))
        #expect(said.narration.contains("did you mean 'com.example.app'?"))
        #expect(store.requests.allSatisfy { $0.method == .get })
    }

    @Test func `apps are listed and shown with what they cost and since when they handle promotions`() async {
        let store = FakeStore()
        var app = Promoted.app
        app.settings.appPrice = Promoted.appPrice
        app.settings.promotionsSupportedSince = "2.0"
        store.answer("GET /admin/v1/apps", JSONText.value(AppsPage(apps: [app])))
        store.answer("GET \(path)", JSONText.value(app))
        let listed = await store.run("app", "list").said.result
        #expect(listed.contains("com.example.app  Example  4.99 USD  3.0      2.0               yes               7\n"))
        let shown = await store.run("app", "show").said.result
        #expect(shown.contains("appPrice                  4.99 USD\n"))
        #expect(shown.contains("promotionsSupportedSince  2.0\n"))
        #expect(await store.run("app", "list", "-o", "names").said.result == "com.example.app\n")
    }
}

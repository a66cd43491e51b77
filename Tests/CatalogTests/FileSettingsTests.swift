import StoreModels
import Testing

@testable import Catalog

/// `settings` of a `.storekit` file become what testers of the app do unless set otherwise.
@Suite struct FileSettingsTests {
    typealias Errors = TesterSettings.SimulatedErrors

    private func error(_ request: String, _ current: JSONValue, enabled: Bool = true) -> JSONValue {
        ["name": .string(request), "enabled": .bool(enabled), "current": current]
    }

    private func imported(_ settings: JSONValue) async throws -> (report: ImportReport, app: App, quote: Quote) {
        try await withCatalog { store async throws in
            let report = try await store.importFile(
                FileBuilder.file(products: [FileBuilder.product("a")], settings: settings))
            return (report, try store.app(AppRequest(bundleId: CatalogFixture.bundleId)), try store.quote("a"))
        }
    }

    @Test func `a file without settings leaves testers to StoreKit's own behaviour`() async throws {
        let (report, app, quote) = try await imported([:])
        #expect(report.settingsApplied.isEmpty && report.settingsIgnored.isEmpty)
        #expect(app.testerDefaults == nil)
        #expect(quote.testerDefaults == nil)
    }

    @Test func `what Xcode's editor writes is applied as far as there is something to apply it to`() async throws {
        let (report, app, quote) = try await imported([
            "_storefront": "ESP", "_locale": "es_ES", "_timeRate": 0, "_askToBuyEnabled": true,
            "_failTransactionsEnabled": false, "_storeKitErrors": [], "_billingGracePeriodEnabled": true,
            "_disableDialogs": true, "_developerTeamID": "T", "_billingIssuesEnabled": false,
        ])
        let expected = TesterSettings(storefront: "ESP", askToBuy: true)
        #expect(app.testerDefaults == expected)
        #expect(quote.testerDefaults == expected)
        #expect(app.settings.billingGracePeriod)
        #expect(quote.billingGracePeriod == true)
        #expect(
            report.settingsApplied == [
                "_askToBuyEnabled", "_billingGracePeriodEnabled", "_failTransactionsEnabled", "_locale",
                "_storeKitErrors", "_storefront", "_timeRate",
            ])
        #expect(report.settingsIgnored == ["_billingIssuesEnabled", "_developerTeamID", "_disableDialogs"])
    }

    @Test(
        arguments: [
            (0, nil, true), (1, nil, false), (2, nil, false), (3, nil, false), (4, .oneRenewalEveryThirtyMinutes, true),
            (5, .oneRenewalEveryFifteenMinutes, true), (6, .oneSecondIsOneDay, true), (7, nil, false),
            (10, .monthlyRenewalEveryHour, true), (11, .oneRenewalEveryThirtyMinutes, true),
            (12, .oneRenewalEveryFifteenMinutes, true), (13, .monthlyRenewalEveryFiveMinutes, true), (14, nil, false),
            (15, .monthlyRenewalEveryThirtySeconds, true), (1_000, .oneRenewalEveryFifteenMinutes, true),
            (1_001, .oneRenewalEveryFiveMinutes, true), (1_002, .oneRenewalEveryMinute, true),
            (1_003, .oneRenewalEveryThirtySeconds, true), (1_004, .oneRenewalEveryTenSeconds, true),
            (1_005, .oneRenewalEveryTwoSeconds, true), (1_006, nil, false),
        ] as [(Int, SubscriptionRenewalRate?, Bool)])
    func `a time rate is what SKTestSession's number means`(
        number: Int, rate: SubscriptionRenewalRate?, isApplied: Bool
    ) async throws {
        let (report, app, quote) = try await imported(["_timeRate": .integer(number)])
        #expect(app.testerDefaults?.subscriptionRenewalRate == rate)
        #expect(quote.testerDefaults?.subscriptionRenewalRate == rate)
        #expect(report.settingsApplied == (isApplied ? ["_timeRate"] : []))
        #expect(report.settingsIgnored == (isApplied ? [] : ["_timeRate"]))
    }

    @Test func `the operator's rate counts before the file's, through a restart, and can be taken back`() async throws {
        let fixture = try CatalogFixture()
        try await fixture.withStore { store async throws in
            try await store.importFile(
                FileBuilder.file(
                    products: [FileBuilder.product("a")], settings: ["_timeRate": 15, "_storefront": "JPN"]))
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).timeRate == 15)
            let app = try await put(store, rate: .realTime)
            #expect(app.testerDefaults == TesterSettings(storefront: "JPN", subscriptionRenewalRate: .realTime))
            #expect(app.timeRate == 15)
            #expect(try store.quote("a").testerDefaults?.subscriptionRenewalRate == .realTime)
        }
        try await fixture.withStore { store async throws in
            #expect(try store.quote("a").testerDefaults?.subscriptionRenewalRate == .realTime)
            try await store.importFile(FileBuilder.file(products: [FileBuilder.product("a")]))
            let app = try store.app(AppRequest(bundleId: CatalogFixture.bundleId))
            #expect(app.testerDefaults == TesterSettings(subscriptionRenewalRate: .realTime))
            #expect(app.timeRate == nil)
            #expect(try await put(store, rate: nil).testerDefaults == nil)
        }
    }

    private func put(_ store: CatalogStore, rate: SubscriptionRenewalRate?) async throws -> App {
        try await store.put(
            PutAppRequest(
                bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A", subscriptionRenewalRate: rate)))
    }

    @Test func `what says no more than StoreKit's own behaviour is in force without a default`() async throws {
        let (report, app, _) = try await imported([
            "_storefront": "USA", "_askToBuyEnabled": false, "_timeRate": 0, "_failTransactionsEnabled": false,
        ])
        #expect(report.settingsApplied.count == 4)
        #expect(app.testerDefaults == nil)
    }

    @Test func `simulated errors are those of loading products and of purchases`() async throws {
        let (report, app, _) = try await imported([
            "_storeKitErrors": [
                error("Load Products", "networkError"), error("Purchase", "purchaseNotAllowed"),
                error("Verification", .null), error("App Store Sync", .null, enabled: false),
            ]
        ])
        #expect(
            app.testerDefaults?.simulatedErrors
                == Errors(loadProducts: "networkError", purchase: "purchaseNotAllowed"))
        #expect(report.settingsApplied == ["_storeKitErrors"])
        #expect(report.settingsIgnored == ["_storeKitErrors: Verification"])
    }

    @Test(
        arguments: [
            (["_failTransactionsEnabled": true], "unknown", false),
            (["_failTransactionsEnabled": true, "_failTransactionError": "paymentInvalid"], "paymentInvalid", false),
            (["_failTransactionsEnabled": true, "_failTransactionError": 2], "paymentCancelled", false),
            (["_failTransactionsEnabled": true, "_failTransactionError": "bad luck"], "unknown", true),
            (["_failTransactionsEnabled": false, "_failTransactionError": "paymentInvalid"], nil, false),
            (
                [
                    "_storeKitErrors": [
                        ["name": "Purchase", "enabled": true, "current": ["type": "generic", "index": 1]]
                    ]
                ],
                "unknown", true
            ),
            (["_storeKitErrors": [["name": "Purchase", "enabled": true, "current": .null]]], "unknown", false),
        ] as [(JSONValue, String?, Bool)])
    func `an error is taken by its name or number, and unknown is for an error without a name`(
        settings: JSONValue, error: String?, isNoted: Bool
    ) async throws {
        let (report, app, _) = try await imported(settings)
        #expect(app.testerDefaults?.simulatedErrors?.purchase == error)
        #expect(report.notes.contains { $0.contains("names no error of StoreKit") } == isNoted)
    }

    @Test func `what cannot be applied is ignored, never refused`() async throws {
        let (report, app, _) = try await imported([
            "_storefront": "FR", "_timeRate": 7, "_askToBuyEnabled": "yes", "_billingGracePeriodEnabled": 1,
            "_failTransactionsEnabled": .null, "_storeKitErrors": "none", "_locale": "english", "_future": [1, 2],
        ])
        #expect(report.settingsApplied.isEmpty)
        #expect(report.settingsIgnored.count == 8)
        #expect(
            report.notes.contains("$.settings._storefront has no effect: 'FR' is not a storefront; did you mean FRA?"))
        #expect(report.notes.contains { $0.hasPrefix("$.settings._timeRate has no effect") })
        #expect(app.testerDefaults == nil)
    }

    @Test func `a restart and new app settings keep the testers' defaults, another file replaces them`() async throws {
        let fixture = try CatalogFixture()
        let products = [FileBuilder.product("a")]
        let defaults = TesterSettings(storefront: "JPN")
        try await fixture.withStore { store async throws in
            let file = FileBuilder.file(products: products, settings: ["_storefront": "JPN"])
            #expect(try await store.importFile(file).settingsApplied == ["_storefront"])
        }
        try await fixture.withStore { store async throws in
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).testerDefaults == defaults)
            let put = try await store.put(
                PutAppRequest(bundleId: CatalogFixture.bundleId, settings: AppSettings(name: "A")))
            #expect(put.testerDefaults == defaults)
            #expect(try store.quote("a").testerDefaults == defaults)
            #expect(try store.list(PageRequest(in: .installation)).apps.map(\.testerDefaults) == [defaults])
            try await store.importFile(FileBuilder.file(products: products))
            #expect(try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).testerDefaults == nil)
        }
    }

    @Test func `a file sets the billing grace period only when it names it`() async throws {
        let fixture = try CatalogFixture()
        func file(_ settings: JSONValue) -> JSONValue {
            FileBuilder.file(products: [FileBuilder.product("a")], settings: settings)
        }
        func hasGracePeriod(_ store: CatalogStore) throws -> Bool {
            try store.app(AppRequest(bundleId: CatalogFixture.bundleId)).settings.billingGracePeriod
        }
        try await fixture.withStore { store async throws in
            try await store.importFile(file(["_billingGracePeriodEnabled": true]))
            #expect(try hasGracePeriod(store))
            try await store.importFile(file([:]))
            #expect(try hasGracePeriod(store))
        }
        try await fixture.withStore { store async throws in
            #expect(try hasGracePeriod(store))
            let settings = AppSettings(name: "A", billingGracePeriod: false, unfinishedLimit: 7)
            _ = try await store.put(PutAppRequest(bundleId: CatalogFixture.bundleId, settings: settings))
            try await store.importFile(file([:]))
            #expect(try !hasGracePeriod(store))
            try await store.importFile(file(["_billingGracePeriodEnabled": true]))
            let app = try store.app(AppRequest(bundleId: CatalogFixture.bundleId))
            #expect(app.settings == AppSettings(name: "A", billingGracePeriod: true, unfinishedLimit: 7))
        }
    }
}

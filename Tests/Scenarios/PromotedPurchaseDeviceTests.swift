import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: what comes before the app can continue: the app is missing or too old, the device or its way of handling
/// promoted purchases is not supported.
/// Method: devices of all kinds against `storebus up`.
@Suite(.process) struct PromotedPurchaseDeviceTests {
    private typealias Products = StoreStack.Products

    @Test func `M72, M73, I6: a free app is downloaded; the purchase waits for its first launch`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches])
            let phone = Handset(store, "phone")
            let shown = try await phone.openStore()
            let identifier = try await shown.tap(Products.beaches, expecting: .downloading)
            let installed = try #require(try await phone.facts().apps.first)
            #expect(installed.version == "1.0")
            #expect(!installed.isLaunched)

            // It was never launched, and a restart changes nothing about that.
            let killed = try store.signal("promotion-controller")
            try await store.waitForReplacement(of: "promotion-controller", after: killed)
            #expect(try await phone.facts().apps == [installed])
            let app = try await phone.launch()
            let (pending, _) = try await app.observePromotions()
            #expect(pending.map(\.intentIdentifier) == [identifier])
            #expect(try await app.decide(identifier, "continue").json?["intent"]?["state"] == "continued")
            _ = try await app.transactionId(of: identifier)
            #expect(try await app.observePromotions().pending.isEmpty, "it is told until it is decided")
            #expect(try await Ledger.charges(of: store).count == 1)
        }
    }

    @Test func `M72: an app that costs something is bought first; who does not buy it cancels the purchase`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches])
            try await store.putApp([
                "currentVersion": "3.1", "appPrice": .object(["amount": "4.99", "currency": "USD"]),
            ])
            for answer in ["cancel", "approve"] {
                let phone = Handset(store, "phone-\(answer)")
                let shown = try await phone.openStore()
                let identifier = try await shown.tap(Products.beaches, expecting: .promptBuyApp)
                #expect(try await phone.facts().apps.isEmpty)
                let prompt = try #require(
                    try await store.prompts(of: "alice").first { $0.kind == .appPurchase })
                #expect(prompt.id.hasPrefix("ap_"))
                try await store.answer(prompt, answer)
                let intent = try #require(
                    try await store.intents(of: "alice").first { $0.intentIdentifier == identifier })
                if answer == "cancel" {
                    #expect(intent.state == .cancelled)
                    #expect(try await phone.facts().apps.isEmpty)
                } else {
                    #expect(intent.state == .pending)
                    #expect(try await phone.facts().apps.map(\.version) == ["3.1"])
                    let app = try await phone.launch(version: "3.1")
                    #expect(try await app.observePromotions().pending.map(\.intentIdentifier) == [identifier])
                }
            }
            #expect(try await Ledger.charges(of: store).isEmpty)
        }
    }

    @Test func `M69, M75: an old version, or one without the delegate method, is upgraded first`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches])
            try await store.putApp(["currentVersion": "2.0", "promotionsSupportedSince": "1.10"])
            let phone = Handset(store, "phone")
            let old = try await phone.launch(version: "1.9")
            let shown = try await phone.openStore()
            let identifier = try await shown.tap(Products.beaches, expecting: .promptUpgrade)
            #expect(try await old.observePromotions().pending.isEmpty)
            try await phone.install("2.0")
            let new = try await phone.launch(version: "2.0")
            #expect(try await new.observePromotions().pending.map(\.intentIdentifier) == [identifier])

            // An app that never implemented the method does not support promotions, in any version.
            let tablet = Handset(store, "tablet")
            let without = try await tablet.launch("none", version: "2.0")
            let onTablet = try await tablet.openStore()
            let waiting = try await onTablet.tap(Products.beaches, expecting: .promptUpgrade)
            #expect(try await without.observePromotions().pending.isEmpty)
            let with = try await tablet.launch("delegate", version: "2.0")
            #expect(try await with.observePromotions().pending.map(\.intentIdentifier) == [waiting])
        }
    }

    @Test func `M58, M71: iOS 10, and iPad and iPhone apps on visionOS, have no promotions at all`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches])
            for (platform, version) in [("iOS", "10.3.4"), ("iOSAppOnVisionOS", "26.0")] {
                let device = Handset(store, platform, platform: platform, osVersion: version)
                let app = try await device.launch()
                let shown = try await device.openStore()
                for path in ["/v1/store-page", "/v1/search?q=beaches", "/v1/featured"] {
                    #expect(try await shown.page(path).products.isEmpty, "\(platform)")
                }
                let refused = [
                    try await shown.tap(Products.beaches),
                    try await shown.open(ScenarioTestURLTests.url(of: Products.beaches)),
                    try await app.setOrder([Products.beaches]),
                    try await app.setVisibility(of: Products.beaches, "hide"),
                ]
                #expect(refused.map(\.status) == [409, 409, 409, 409], "\(platform)")
                #expect(refused.allSatisfy { $0.code == "promotionUnsupported" })
                #expect(try await app.observePromotions().pending.isEmpty)
            }
            #expect(try await store.intents(of: "alice").isEmpty)
        }
    }

    @Test func `M59, M60: PurchaseIntent from 16.4 on, and never both ways at once`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions([Products.beaches])
            for (platform, version) in [("iOS", "16.3.1"), ("macOS", "14.3"), ("tvOS", "17.0")] {
                let old = Handset(store, "old", platform: platform, osVersion: version)
                let refused = try await old.session(["appVersion": "1.0", "promotedPurchases": "purchaseIntent"])
                #expect(refused.status == 409)
                #expect(refused.code == "promotionUnsupported")
                #expect(refused.json?["detail"]?.stringValue?.contains(platform) == true)
            }
            #expect(try await store.send(.GET, "/admin/v1/devices/old").status == 404, "nothing was recorded")

            let phone = Handset(store, "phone", osVersion: "16.4")
            let app = try await phone.launch("purchaseIntent")
            var (_, observer) = try await app.observePromotions()
            let other = try await store.send(
                .GET, "/v1/transactions/stream?promotedPurchases=delegate", token: app.token)
            #expect(other.status == 409)
            #expect(other.code == "promotedPurchaseHandlerConflict")
            let shown = try await phone.openStore()
            let identifier = try await shown.tap(Products.beaches, expecting: .openApp)
            #expect(try await observer.nextPromotedPurchase().intentIdentifier == identifier)
            // Told once: what comes next on this stream is the purchase.
            _ = try await app.decide(identifier, "continue")
            _ = try await observer.next(.purchased, of: Products.beaches)
        }
    }
}

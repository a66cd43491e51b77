import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: the second half of the article, line by line: an app changes what its device's store shows, and no other
/// device of the same account sees any of it.
/// Method: a phone and a tablet of one account against `storebus up`; the listings' products are those of the sample
/// catalogue.
@Suite(.process) struct PromotionOverrideTests {
    private typealias Products = StoreStack.Products
    private static let connect = [Products.fishing, Products.beaches, Products.pro]

    /// Two devices of one account, both with the app, and their stores.
    private struct Devices {
        let phone: Handset
        let app: ScenarioCustomer
        let shown: AppStoreApp
        let tabletApp: ScenarioCustomer
        let tabletShown: AppStoreApp

        init(_ store: StoreStack) async throws {
            phone = Handset(store, "phone")
            let tablet = Handset(store, "tablet", platform: "iPadOS")
            app = try await phone.launch()
            shown = try await phone.openStore()
            tabletApp = try await tablet.launch()
            tabletShown = try await tablet.openStore()
        }
    }

    @Test func `M97–M102, M105: the order of one device, set, fetched, followed by the operator's rest, and cancelled`()
        async throws
    {
        try await StoreStack.run { store in
            try await store.setUpPromotions(Self.connect + [Products.yearly], hidden: [Products.yearly])
            let devices = try await Devices(store)
            // fetchStorePromotionOrder: an empty array, there are no overrides.
            #expect(try await devices.app.order().productIdentifiers == [])
            #expect(try await devices.shown.page().products == Self.connect)

            // let newProductsOrder = [hiddenBeaches, proSubscription, fishingHotSpots]
            let order = [Products.beaches, Products.pro, Products.fishing]
            #expect(try await devices.app.setOrder(order).status == 200)
            #expect(try await devices.shown.page().products == order)
            // products == [hiddenBeaches, proSubscription, fishingHotSpots]
            let fetched = try await devices.app.order()
            #expect(fetched.productIdentifiers == order)
            #expect(fetched.products.map(\.productIdentifier) == order)
            #expect(fetched.products.first?.localizedTitle == "Hidden Beaches")
            #expect(try await devices.tabletApp.order().productIdentifiers == [])
            #expect(try await devices.tabletShown.page().products == Self.connect, "not the account's (M95)")

            // A subset; what the operator hides stays hidden even when listed (M99).
            #expect(try await devices.app.setOrder([Products.yearly, Products.pro]).status == 200)
            #expect(
                try await devices.shown.page().products == [Products.pro, Products.fishing, Products.beaches])
            // Connect's order changes: the rest follow the new one (M105).
            try await store.promote([Products.beaches, Products.pro, Products.yearly, Products.fishing])
            #expect(
                try await devices.shown.page().products
                    == [Products.yearly, Products.pro, Products.beaches, Products.fishing])

            let twice = try await devices.app.setOrder([Products.pro, Products.pro])
            #expect(twice.status == 400)
            let unknown = try await devices.app.setOrder([Products.pro, "com.example.unheardOf"])
            #expect(unknown.code == "productNotFound")
            #expect(try await devices.app.order().productIdentifiers == [Products.yearly, Products.pro])

            // An empty product array: the default order.
            #expect(try await devices.app.setOrder([]).status == 200)
            #expect(try await devices.app.order().productIdentifiers == [])
            #expect(
                try await devices.shown.page().products
                    == [Products.beaches, Products.pro, Products.yearly, Products.fishing])
        }
    }

    @Test func `M87–M93: the visibility of one device, in page, search and featured tab`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions(Self.connect + [Products.yearly], hidden: [Products.yearly])
            try await store.must(
                .PUT, "/admin/v1/featured",
                .array([.object(["bundleId": .string(StoreStack.app), "productIdentifier": .string(Products.pro)])]))
            let devices = try await Devices(store)
            // visibility == .default
            #expect(try await devices.app.visibility(of: Products.beaches) == .default)

            // Hide the promoted product Pro Subscription after the user purchases it.
            _ = try await devices.app.buy(Products.pro, key: "pro")
            #expect(try await devices.app.setVisibility(of: Products.pro, "hide").status == 200)
            #expect(try await devices.app.visibility(of: Products.pro) == .hide)
            #expect(try await devices.shown.page().products == [Products.fishing, Products.beaches])
            #expect(try await devices.shown.search("pro").products == [])
            #expect(try await devices.shown.featured().products == [])
            #expect(try await devices.tabletApp.visibility(of: Products.pro) == .default)
            #expect(try await devices.tabletShown.page().products == Self.connect)
            #expect(try await devices.tabletShown.featured().products == [Products.pro])
            let tapped = try await devices.shown.tap(Products.pro)
            #expect(tapped.code == "productNotPromotable", "nobody can tap what is not there")

            // .show overrides what the operator hides, on that device only.
            #expect(try await devices.app.setVisibility(of: Products.yearly, "show").status == 200)
            #expect(
                try await devices.shown.page().products == [Products.fishing, Products.beaches, Products.yearly])
            #expect(try await devices.tabletShown.page().products == Self.connect)

            // Back to .default: no override is left.
            for product in [Products.pro, Products.yearly] {
                #expect(try await devices.app.setVisibility(of: product, "default").status == 200)
                #expect(try await devices.app.visibility(of: product) == .default)
            }
            #expect(try await devices.shown.page().products == Self.connect)
            #expect(try await devices.phone.facts().apps.first?.overrides == PromotionOverrides())
        }
    }

    @Test func `M94, M96, M104: from the first launch on, kept over kill -9, gone with the app`() async throws {
        try await StoreStack.run { store in
            try await store.setUpPromotions(Self.connect)
            let phone = Handset(store, "phone")
            let shown = try await phone.openStore()
            try await phone.install("1.0")
            let early = try await store.send(
                .PUT, "/admin/v1/devices/phone/apps/\(StoreStack.app)/promotions/order",
                .object(["productIdentifiers": .array([.string(Products.pro)])]))
            #expect(early.status == 409)
            #expect(early.code == "appNeverLaunched")

            var app = try await phone.launch()
            #expect(try await app.setOrder([Products.pro]).status == 200)
            #expect(try await app.setVisibility(of: Products.fishing, "hide").status == 200)
            for service in ["promotion-controller", "gateway"] {
                let killed = try store.signal(service)
                try await store.waitForReplacement(of: service, after: killed)
                try await eventually("the page is whole again", within: .seconds(30)) {
                    guard let page = try? await shown.page() else { return false }
                    return page.degraded.isEmpty && page.products == [Products.pro, Products.beaches]
                }
            }
            #expect(try await app.order().productIdentifiers == [Products.pro])

            // Another version keeps them, another installation does not.
            try await phone.install("1.1")
            #expect(try await shown.page().products == [Products.pro, Products.beaches])
            try await phone.deleteApp()
            #expect(try await shown.page().products == Self.connect)
            app = try await phone.launch()
            #expect(try await app.order().productIdentifiers == [])
            #expect(try await app.visibility(of: Products.fishing) == .default)
            #expect(try await shown.page().products == Self.connect)
        }
    }
}

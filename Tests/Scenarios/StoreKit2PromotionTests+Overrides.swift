import Foundation
import NIOHTTP1
import StoreKitClient
import StoreModels
import StorebusTesting
import Testing

private typealias Product = StoreKitClient.Product

/// Goal: an app's order and visibilities apply to its device alone.
extension StoreKit2PromotionTests {
    /// Two devices of one customer, both with the app, and their stores.
    private struct Devices {
        let phone: StoreKit2Witness
        let tablet: StoreKit2Witness
        let shown: AppStoreApp
        let tabletShown: AppStoreApp

        init(_ store: StoreStack) async throws {
            phone = try await StoreKit2PromotionTests.launch(store, "phone")
            tablet = try await StoreKit2PromotionTests.launch(store, "tablet")
            shown = try await Handset(store, "phone").openStore()
            tabletShown = try await Handset(store, "tablet").openStore()
        }
    }

    @Test func `M70, M95, M97–M103, M105: the order of one device, by identifiers and by infos, is set and cancelled`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let devices = try await Devices(store)
            #expect(try await devices.phone.order().isEmpty)
            #expect(try await devices.shown.page().products == SharedStore.page)

            let order = [Products.beaches, Products.pro, Products.fishing]
            try await devices.phone.setOrder(order)
            #expect(try await devices.shown.page().products == order)
            let infos = try await devices.phone.order()
            #expect(infos.map(\.productID) == order)
            #expect(infos.allSatisfy { $0.visibility == .appStoreConnectDefault })
            #expect(try await devices.tablet.order().isEmpty)
            #expect(try await devices.tabletShown.page().products == SharedStore.page, "not the account's")

            // The next level first, once the one before is bought.
            _ = try await Self.buy(try await devices.phone.product(Products.beaches), on: devices.phone)
            try await devices.phone.setOrder([Products.pro])
            #expect(
                try await devices.shown.page().products == [Products.pro, Products.fishing, Products.beaches])
            // A subset. What the operator hides stays hidden, though it is in the order.
            try await devices.phone.setOrder([Products.yearly, Products.beaches])
            #expect(
                try await devices.shown.page().products == [Products.beaches, Products.fishing, Products.pro])
            // The others follow the operator's new order.
            try await store.promote([Products.beaches, Products.pro, Products.yearly, Products.fishing])
            #expect(
                try await devices.shown.page().products
                    == [Products.yearly, Products.beaches, Products.pro, Products.fishing])

            // Order and visibility in one call, and what is refused changes nothing.
            var changed: [Product.PromotionInfo] = try await devices.phone.order().reversed()
            changed[0].visibility = .hidden
            try await devices.phone.setAll(changed)
            #expect(try await devices.phone.order() == changed)
            let page = [Products.yearly, Products.pro, Products.fishing]
            #expect(try await devices.shown.page().products == page)
            let set = changed
            changed[0].visibility = .visible
            let twice = [changed[0], changed[1], changed[1]]
            let repeated = await Self.refusal { try await devices.phone.setAll(twice) }
            #expect(repeated == "requestInvalid")
            let unknown = await Self.refusal { try await devices.phone.setOrder([Products.pro, "com.example.none"]) }
            #expect(unknown == "productNotFound")
            #expect(try await devices.phone.order() == set)
            #expect(try await devices.shown.page().products == page)

            try await devices.phone.setOrder([])
            #expect(try await devices.phone.order().isEmpty)
            #expect(try await devices.shown.page().products == [Products.pro, Products.yearly, Products.fishing])
        }
    }

    @Test func `M87–M93, M95: the visibility of one device, on page, search and tab, and for its purchases`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            try await store.must(
                .PUT, "/admin/v1/featured",
                .array([.object(["bundleId": .string(StoreStack.app), "productIdentifier": .string(Products.pro)])]))
            let devices = try await Devices(store)
            // Only the infos of an order have a visibility to read.
            try await devices.phone.setOrder([Products.pro, Products.yearly])
            var infos = try await devices.phone.order()
            #expect(infos.map(\.visibility) == [.appStoreConnectDefault, .appStoreConnectDefault])

            // Hidden after the customer has bought it.
            _ = try await Self.buy(try await devices.phone.product(Products.pro), on: devices.phone)
            infos[0].visibility = .hidden
            let hidden = infos[0]
            try await devices.phone.run { try await hidden.update() }
            #expect(try await devices.shown.page().products == [Products.fishing, Products.beaches])
            #expect(try await devices.shown.search("pro").products.isEmpty)
            #expect(try await devices.shown.featured().products.isEmpty)
            #expect(try await devices.shown.tap(Products.pro).code == "productNotPromotable")
            #expect(try await devices.tabletShown.page().products == SharedStore.page)
            #expect(try await devices.tabletShown.featured().products == [Products.pro])

            // Shown, though the operator hides it.
            try await devices.phone.setVisibility(.visible, of: Products.yearly)
            #expect(try await devices.phone.order().map(\.visibility) == [.hidden, .visible])
            #expect(
                try await devices.shown.page().products == [Products.yearly, Products.fishing, Products.beaches])
            _ = try await devices.shown.tap(Products.yearly, expecting: .openApp)
            _ = try await devices.phone.intents(Products.yearly)
            #expect(try await devices.tabletShown.page().products == SharedStore.page)

            for product in [Products.pro, Products.yearly] {
                try await devices.phone.setVisibility(.appStoreConnectDefault, of: product)
            }
            #expect(
                try await devices.shown.page().products == [Products.pro, Products.fishing, Products.beaches])
            infos = try await devices.phone.order()
            #expect(infos.map(\.visibility) == [.appStoreConnectDefault, .appStoreConnectDefault])

            // The app hides a product that the customer has, and shows one that can be bought.
            for product in SharedStore.page {
                let entitlement = await devices.phone.run { await Transaction.currentEntitlement(for: product) }
                try await devices.phone.setVisibility(entitlement == nil ? .visible : .hidden, of: product)
            }
            #expect(try await devices.shown.page().products == [Products.fishing, Products.beaches])
        }
    }

    @Test func `M94, M96, M104: overrides begin with the first launch, stay over the next, and go with the app`()
        async throws
    {
        try await StoreStack.runIsolated { store in
            let handset = Handset(store, "phone")
            let shown = try await handset.openStore()
            try await handset.install("1.0")
            let early = try await store.send(
                .PUT, "/admin/v1/devices/phone/apps/\(StoreStack.app)/promotions/order",
                .object(["productIdentifiers": .array([.string(Products.pro)])]))
            #expect(early.code == "appNeverLaunched")

            // An app that can call anything was launched.
            var phone = try await Self.launch(store, "phone")
            try await phone.setOrder([Products.pro])
            try await phone.setVisibility(.hidden, of: Products.fishing)
            let page = [Products.pro, Products.beaches]
            #expect(try await shown.page().products == page)
            await phone.kill()
            phone = try await Self.launch(store, "phone") { $0.appVersion = "1.1" }
            #expect(try await phone.order().map(\.productID) == [Products.pro])
            #expect(try await shown.page().products == page)

            await phone.kill()
            try await handset.deleteApp()
            #expect(try await shown.page().products == SharedStore.page)
            phone = try await Self.launch(store, "phone")
            #expect(try await phone.order().isEmpty)
            #expect(try await shown.page().products == SharedStore.page)
        }
    }

    @Test func `M101: an order is read without products that the catalogue no longer has`() async throws {
        try await StoreStack.runIsolated { store in
            let phone = try await Self.launch(store, "phone")
            try await phone.setOrder([Products.pro, Products.beaches])
            try await store.importProducts([
                .object([
                    "productID": .string(Products.beaches), "type": "NonConsumable", "referenceName": "Beaches",
                    "displayPrice": "0.99",
                ])
            ])
            #expect(try await phone.order().map(\.productID) == [Products.beaches])
        }
    }
}

/// The calls of `Product.PromotionInfo`, by an app.
extension StoreKit2Witness {
    fileprivate func order() async throws -> [Product.PromotionInfo] {
        try await run { try await Product.PromotionInfo.currentOrder }
    }

    fileprivate func setOrder(_ products: [String]) async throws {
        try await run { try await Product.PromotionInfo.updateProductOrder(byID: products) }
    }

    fileprivate func setVisibility(
        _ visibility: Product.PromotionInfo.Visibility, of product: String
    ) async throws {
        try await run { try await Product.PromotionInfo.updateProductVisibility(visibility, for: product) }
    }

    fileprivate func setAll(_ infos: [Product.PromotionInfo]) async throws {
        try await run { try await Product.PromotionInfo.updateAll(infos) }
    }
}

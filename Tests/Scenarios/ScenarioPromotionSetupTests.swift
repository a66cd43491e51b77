import NIOHTTP1
import StoreModels
import StorebusTesting
import Testing

/// Goal: the first half of the article, line by line: an operator sets promotions up, and the product page, search and
/// featured tab follow at once.
/// Method: `storebus up` with the sample catalogue, the operator's paths and the App Store app of a device.
@Suite(.process) struct ScenarioPromotionSetupTests {
    private typealias Products = StoreStack.Products

    @Test func `M62–M64, M66–M68, M70: images, order and visibility are set up, and the store shows it`() async throws {
        try await StoreStack.run { store in
            let phone = try await Handset(store, "phone").openStore()
            // Before anything is set up the page is a preview of the catalogue.
            #expect(
                try await phone.page().products
                    == [Products.beaches, Products.fishing, Products.pro, Products.yearly])
            try await expectImages(in: store, shownOn: phone)
            try await expectSearchAndFeatured(in: store, shownOn: phone)

            // Connect's order and visibility are changed: seen by the next request.
            try await store.promote(
                [Products.fishing, Products.beaches, Products.pro], hidden: [Products.pro])
            #expect(try await phone.page().products == [Products.fishing, Products.beaches])
            #expect(try await phone.search("pro").products.isEmpty, "what is hidden is hidden everywhere (M90)")
            #expect(try await phone.featured().products == [Products.beaches, Products.fishing])

            // Before the release page, search and featured tab stay empty (M109).
            try await store.putApp(["released": false])
            try await eventually("the page is empty", within: .seconds(5)) { try await phone.page().products.isEmpty }
            #expect(try await phone.search("beaches").products.isEmpty)
            #expect(try await phone.featured().products.isEmpty)
        }
    }

    /// Step 1 of the article: the images, their review, and the operator's answers meanwhile.
    private func expectImages(in store: StoreStack, shownOn phone: AppStoreApp) async throws {
        let listed = [Products.pro, Products.beaches, Products.fishing]
        let waiting = try await store.promote(listed, hidden: [Products.fishing])
        #expect(!waiting.isPreview)
        #expect(waiting.promotions.map(\.reasons) == [[.noImage], [.noImage], [.noImage]])
        #expect(try await phone.page().products.isEmpty, "a product without an image is not promoted (M66)")

        let small = try await store.putImage(Images.png(width: 800, height: 600), of: Products.pro)
        #expect(small.status == 422)
        #expect(small.text.contains("800×600, PNG"))
        let text = try await store.putImage(Array("<svg width=\"1024\" height=\"1024\"/>".utf8), of: Products.pro)
        #expect(text.status == 422)

        for (product, image) in zip(listed, [Images.png(), Images.jpeg(), Images.png()]) {
            let put = try await store.putImage(image, of: product)
            #expect(put.status == 200, "\(put.text)")
            #expect(try put.decoded(as: PromotionImage.self).state == .waiting)
        }
        #expect(try await phone.page().products.isEmpty, "images wait for their review")
        try await store.review(Products.pro, "reject", reason: "The text cannot be read.")
        #expect(try await explained(Products.pro, in: store) == [.imageRejected])
        #expect(try await explained(Products.beaches, in: store) == [.imageWaitingForReview])
        #expect(try await explained(Products.yearly, in: store) == [.notInPromotions, .noImage])

        for product in listed { #expect(try await store.review(product, "approve").state == .approved) }
        #expect(try await explained(Products.pro, in: store) == [])
        let page = try await phone.page()
        #expect(page.products == [Products.pro, Products.beaches], "the operator's order, visible ones only (M70)")
        #expect(page.degraded == [])
        let image = try await store.must(
            .GET, "\(StoreStack.appPath)/products/\(Products.beaches)/promotion-image")
        #expect(image.body == Images.jpeg())
        #expect(image.headers.first(name: "content-type") == "image/jpeg")
    }

    private func explained(
        _ product: String, in store: StoreStack
    ) async throws -> [PromotionExplanation.Reason]? {
        let answer = try await store.must(.GET, "\(StoreStack.appPath)/products/\(product)/explain")
        return try answer.decoded(as: ProductExplanation.self).promotion?.reasons
    }

    private func expectSearchAndFeatured(in store: StoreStack, shownOn phone: AppStoreApp) async throws {
        #expect(try await phone.search("BEACHES+hidden").products == [Products.beaches])
        #expect(try await phone.search("com.example").products == [Products.pro, Products.beaches])
        #expect(try await phone.search("fishing").products.isEmpty, "the operator hides it (M63)")
        #expect(try await store.send(.GET, "/v1/search?q=%20", token: phone.token).status == 400)

        #expect(try await phone.featured().products.isEmpty)
        let tab = [Products.beaches, Products.fishing, Products.yearly, Products.pro]
        try await store.must(
            .PUT, "/admin/v1/featured",
            .array(
                tab.map { .object(["bundleId": .string(StoreStack.app), "productIdentifier": .string($0)]) }))
        #expect(try await phone.featured().products == [Products.beaches, Products.pro], "of the page only (M64)")
    }

    @Test func `the set-up refuses what cannot be promoted, and the page is each customer's own`() async throws {
        try await StoreStack.run { store in
            let path = "\(StoreStack.appPath)/promotions"
            func entries(_ products: [String]) -> JSONValue {
                .array(products.map { .object(["productIdentifier": .string($0), "visible": true]) })
            }
            let many = try await store.send(.PUT, path, entries((0..<21).map { "com.example.\($0)" }))
            #expect(many.status == 400)
            let twice = try await store.send(.PUT, path, entries([Products.pro, Products.pro]))
            #expect(twice.status == 400)
            let unknown = try await store.send(.PUT, path, entries([Products.pro, "com.example.unheardOf"]))
            #expect(unknown.code == "productNotFound")
            let unseen = try await store.send(
                .POST, "\(StoreStack.appPath)/products/\(Products.pro)/promotion-image/approve")
            #expect(unseen.code == "notFound", "nobody approves what is not there")

            try await store.setUpPromotions([Products.beaches, Products.pro])
            // The texts follow the storefront, what is owned and who is eligible the customer.
            let phone = Handset(store, "phone")
            let french = Handset(store, "téléphone", account: "bob", storefront: "FRA")
            let alice = try await phone.launch()
            for (product, key) in [(Products.beaches, "beaches"), (Products.pro, "pro")] {
                _ = try await alice.buy(product, key: key)
            }
            let hers = try await phone.openStore().page()
            #expect(hers.owned == [true, true])
            #expect(hers.eligibility == [.ineligible, .ineligible])
            let his = try await french.openStore().page()
            #expect(his.owned == [false, false])
            #expect(his.eligibility == [.ineligible, .eligible])
            #expect(his.promotions.map(\.product.localizedTitle) == ["Plages secrètes", "Abonnement Pro"])
            #expect(his.promotions.first?.product.price.currency.code == "EUR")
        }
    }
}

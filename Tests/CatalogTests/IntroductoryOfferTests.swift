import StoreModels
import Testing

@testable import Catalog

@Suite struct IntroductoryOfferTests {
    private func read(_ subscription: JSONValue) throws -> StoreKitFileReader.Result {
        try StoreKitFileReader.read(
            try StoreJSON.encode(FileBuilder.file(subscriptions: [subscription])), fileName: "App.storekit")
    }

    @Test func `M112 M130 an offer that was set up is on the product for all customers, one that was not is nil`()
        async throws
    {
        try await withCatalog { store async throws in
            try await store.importFile(FileBuilder.file(subscriptions: [FileBuilder.subscription("s")]))
            #expect(try store.product("s")?.introductoryPrice == nil)
            let offer = FileBuilder.offer("free", "P1W")
            try await store.importFile(
                FileBuilder.file(subscriptions: [FileBuilder.subscription("s", ["introductoryOffer": offer])]))
            #expect(try store.product("s")?.introductoryPrice != nil)
        }
    }

    /// M131, M132: price in the storefront's currency and locale, and all a text needs.
    @Test(arguments: [
        ("payAsYouGo", ProductDiscount.PaymentMode.payAsYouGo, "P1M", 3), ("payUpFront", .payUpFront, "P2M", 1),
        ("free", .freeTrial, "P1W", 1),
    ])
    func `M113 M131 M132 each payment mode comes with price, locale, period and count`(
        word: String, mode: ProductDiscount.PaymentMode, period: String, count: Int
    ) async throws {
        try await withCatalog { store async throws in
            let offer = FileBuilder.offer(word, period, count: count, price: mode == .freeTrial ? nil : "1.99")
            try await store.importFile(
                FileBuilder.file(subscriptions: [FileBuilder.subscription("s", ["introductoryOffer": offer])]))
            let price = try #require(try store.product("s", in: "FRA")?.introductoryPrice)
            #expect(price.paymentMode == mode)
            #expect(price.price.amount == (mode == .freeTrial ? "0.00" : "1.99"))
            #expect(price.price.currency.code == "EUR")
            #expect(price.priceLocale == "fr_FR@currency=EUR")
            #expect(price.subscriptionPeriod.iso8601 == period)
            #expect(price.numberOfPeriods == count)
            #expect(price.type == .introductory)
            #expect(price.identifier == nil)
        }
    }

    @Test func `of version 5's list the first for paying each period up front counts and the others are named`() throws
    {
        let file = try read(
            FileBuilder.subscription(
                "s",
                [
                    "introductoryOffers": [
                        FileBuilder.offer("free", "P1M", ["billingPlanType": "MONTHLY"]),
                        FileBuilder.offer("free", "P2W", ["billingPlanType": "BILLED_UPFRONT"]),
                        FileBuilder.offer("free", "P3D"),
                    ]
                ]))
        #expect(file.catalog.products.first?.subscription?.introductoryOffer?.period.iso8601 == "P2W")
        let kept = file.notes.filter { $0.contains("introductoryOffers[") }
        #expect(kept.count == 2)
        #expect(kept.first?.contains("introductoryOffers[0]") == true)
        #expect(kept.last?.contains("introductoryOffers[2]") == true)
    }

    @Test func `promotional offers become discounts, in their order`() async throws {
        try await withCatalog { store async throws in
            let offers: JSONValue = [
                FileBuilder.offer("payAsYouGo", "P1M", count: 3, price: "0.99", ["offerID": "month"]),
                FileBuilder.offer("free", "P3D", ["offerID": "days"]),
            ]
            try await store.importFile(
                FileBuilder.file(subscriptions: [FileBuilder.subscription("s", ["adHocOffers": offers])]))
            let discounts = try #require(try store.product("s", in: "JPN")?.discounts)
            #expect(discounts.map(\.identifier) == ["month", "days"])
            #expect(discounts.map(\.type) == [.subscription, .subscription])
            #expect(discounts.map(\.price.amount) == ["1", "0"])
            #expect(discounts.map(\.numberOfPeriods) == [3, 1])
        }
    }

    @Test func `of promotional offers with one identifier, the first counts and the others are noted`() throws {
        let offers: JSONValue = [
            FileBuilder.offer("free", "P1W", ["offerID": "x"]), FileBuilder.offer("free", "P1M", ["offerID": "y"]),
            FileBuilder.offer("free", "P3D", ["offerID": "x"]),
        ]
        let file = try read(FileBuilder.subscription("s", ["adHocOffers": offers]))
        let read = file.catalog.products.first?.subscription?.promotionalOffers ?? []
        #expect(read.map(\.identifier) == ["x", "y"])
        #expect(read.map(\.period.iso8601) == ["P1W", "P1M"])
        let noted = file.notes.filter { $0.contains("one offer is named 'x'") }
        #expect(noted.count == 1)
        #expect(noted.first?.contains("adHocOffers[2] is kept and has no effect") == true)
        #expect(noted.first?.contains("adHocOffers[0]") == true)
    }

    @Test func `M111 a trial costs nothing, with any price in the file`() throws {
        let offer = FileBuilder.offer("free", "P1W", price: "0.99")
        let file = try read(FileBuilder.subscription("s", ["introductoryOffer": offer]))
        #expect(file.catalog.products.first?.subscription?.introductoryOffer?.prices.base.isZero == true)
        #expect(file.notes.contains { $0.contains("introductoryOffer.displayPrice is 0.99 and has no effect") })
    }

    @Test func `what hand-written files leave out is assumed and said`() throws {
        let file = try read(
            [
                "type": "RecurringSubscription", "productID": "s", "displayPrice": "1500",
                "recurringSubscriptionPeriod": "P12M",
            ])
        let product = try #require(file.catalog.products.first)
        #expect(product.referenceName == "s")
        #expect(product.subscription?.level == 1)
        #expect(product.subscription?.period.iso8601 == "P1Y")
        #expect(file.notes.contains { $0.contains("groupNumber is missing") })
    }
}

import StoreModels
import Testing

@testable import Catalog

/// Win-back offers and offer codes of a file: in quotes and in the operator's answer, never in a customer's products.
@Suite struct RedeemableOfferTests {
    private static let code = FileBuilder.offer(
        "payAsYouGo", "P1M", count: 2, price: "0.99",
        ["referenceName": "SPRING", "eligibility": ["expired", "new", "new"], "isStackable": true])
    private static let winBack = FileBuilder.offer(
        "free", "P1M",
        [
            "offerID": "back", "referenceName": "Come back",
            "customerEligibilityPaidSubscriptionDurationInMonths": 6,
            "customerEligibilityTimeSinceLastSubscribedInMonths": ["minimum": 2, "maximum": 24],
            "customerEligibilityWaitBetweenOffersInMonths": 3,
        ])

    private func file(codes: [JSONValue] = [code], winBacks: [JSONValue] = [winBack]) -> JSONValue {
        FileBuilder.file(
            products: [FileBuilder.product("coins")],
            subscriptions: [
                FileBuilder.subscription("s", ["codeOffers": .array(codes), "winbackOffers": .array(winBacks)])
            ])
    }

    @Test func `a quote has them priced for the storefront, with their conditions`() async throws {
        try await withCatalog { store async throws in
            let report = try await store.importFile(file())
            #expect(report.offerCodeCount == 1)
            #expect(report.winBackOfferCount == 1)
            #expect(!report.notes.contains { $0.contains("codeOffers") || $0.contains("winbackOffers") })
            let offers = try #require(try store.quote("s", in: "FRA").redeemableOffers)
            #expect(offers.map(\.type) == [.code, .winBack])
            #expect(offers.map(\.offer.identifier) == ["SPRING", "back"])
            #expect(offers.map(\.offer.type) == [.subscription, .subscription])
            #expect(offers.map(\.offer.price.amount) == ["0.99", "0.00"])
            #expect(offers.map(\.offer.numberOfPeriods) == [2, 1])
            #expect(offers[0].audiences == [.expired, .new])
            #expect(offers[0].isStackable == true)
            #expect(
                offers[1].winBack
                    == .init(
                        paidMonthsMin: 6, monthsSinceExpiryMin: 2, monthsSinceExpiryMax: 24, monthsBetweenOffers: 3))
            #expect(try store.quote("coins").redeemableOffers == nil)
        }
    }

    @Test func `a subscription lists its win-back offers, and other products none`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(file())
            let product = try #require(try store.product("s", in: "FRA"))
            #expect(product.winBackOffers?.map(\.identifier) == ["back"])
            #expect(product.winBackOffers?.map(\.displayPrice) == ["0,00\u{A0}€"])
            #expect(product.winBackOffers?.map(\.paymentMode) == [.freeTrial])
            #expect(product.displayPrice == "9,99\u{A0}€")
            #expect(product.subscriptionGroupLevel == 1)
            #expect(product.subscriptionGroupDisplayName == "Pro")
            let coins = try #require(try store.product("coins"))
            #expect(coins.winBackOffers == nil)
            #expect(coins.subscriptionGroupLevel == nil)
            #expect(coins.subscriptionGroupDisplayName == nil)
            #expect(coins.displayPrice == "$1.99")
        }
    }

    @Test func `the operator sees all offers of a product, also of one that is not for sale`() async throws {
        try await withCatalog { store async throws in
            try await store.importFile(file())
            try await store.deactivateAgreements()
            #expect(try store.product("s") == nil)
            #expect(try store.quote("s").redeemableOffers == nil)
            let request = ProductOffersRequest(
                bundleId: CatalogFixture.bundleId, productIdentifier: "s", storefront: "JPN")
            let offers = try store.products.offers(request)
            #expect(offers.storefront == "JPN")
            #expect(offers.redeemableOffers.map(\.offer.price.amount) == ["1", "0"])
            #expect(offers.introductoryPrice == nil)
            #expect(throws: StoreError.self) {
                try store.products.offers(
                    ProductOffersRequest(bundleId: CatalogFixture.bundleId, productIdentifier: "none"))
            }
        }
    }

    @Test func `what a file leaves out: a code for all customers, a win-back offer for every former subscriber, once`()
        throws
    {
        let file = file(
            codes: [FileBuilder.offer("free", "P1W", ["referenceName": "ALL"])],
            winBacks: [FileBuilder.offer("free", "P1W", ["offerID": "any"])])
        let read = try StoreKitFileReader.read(try StoreJSON.encode(file), fileName: "App.storekit")
        let offers = try #require(read.catalog.products.last?.subscription?.redeemableOffers)
        #expect(offers.first?.audiences == nil)
        #expect(offers.first?.isStackable == false)
        #expect(offers.last?.winBack == .init(paidMonthsMin: 0, monthsSinceExpiryMin: 0))
    }

    @Test(arguments: [
        (FileBuilder.offer("free", "P1W"), "codeOffers[0].referenceName", "is missing"),
        (
            FileBuilder.offer("free", "P1W", ["referenceName": "A", "eligibility": ["friends"]]),
            "codeOffers[0].eligibility[0]", "is 'friends'"
        ),
        (
            FileBuilder.offer("free", "P1W", ["referenceName": "A", "isStackable": "yes"]),
            "codeOffers[0].isStackable", "must be true or false"
        ),
    ])
    func `a wrong code is refused with its place`(offer: JSONValue, place: String, reason: String) throws {
        try refuse(file(codes: [offer]), place, reason)
    }

    @Test(
        arguments: [
            ([:], "winbackOffers[0].offerID", "is missing"),
            (
                ["offerID": "A", "customerEligibilityPaidSubscriptionDurationInMonths": -1],
                "winbackOffers[0].customerEligibilityPaidSubscriptionDurationInMonths", "from 0 to 1200"
            ),
            (
                ["offerID": "A", "customerEligibilityTimeSinceLastSubscribedInMonths": ["minimum": 3, "maximum": 2]],
                "winbackOffers[0].customerEligibilityTimeSinceLastSubscribedInMonths.maximum", "less than the minimum"
            ),
            (
                ["offerID": "A", "customerEligibilityTimeSinceLastSubscribedInMonths": 3],
                "winbackOffers[0].customerEligibilityTimeSinceLastSubscribedInMonths", "must be an object"
            ),
        ] as [([String: JSONValue], String, String)])
    func `a wrong win-back offer is refused with its place`(
        members: [String: JSONValue], place: String, reason: String
    ) throws {
        try refuse(file(winBacks: [FileBuilder.offer("free", "P1W", members)]), place, reason)
    }

    private func refuse(_ file: JSONValue, _ place: String, _ reason: String) throws {
        let bytes = try StoreJSON.encode(file)
        #expect("\(place)") {
            _ = try StoreKitFileReader.read(bytes, fileName: "App.storekit")
        } throws: { error in
            let message = (error as? StoreError)?.message ?? ""
            return message.contains(place) && message.contains(reason)
        }
    }
}

import Foundation
import StoreHTTP
import StoreModels
import StorebusTesting
import Testing

@testable import StoreKitClient

private typealias Product = StoreKitClient.Product
private typealias Storefront = StoreKitClient.Storefront

/// Goal: products, the app and the storefront are what the store says, in StoreKit 2's types.
@Suite struct ProductsTests {
    private struct Found: Encodable {
        var products: [StoreModels.Product]
        var invalidProductIdentifiers: [String] = []
    }

    private func shop() throws -> FakeShop {
        let shop = try FakeShop()
        shop.gateway.on("POST /v1/products/query") { request in
            let asked = request.json["productIdentifiers"]?.arrayValue?.compactMap(\.stringValue) ?? []
            let known = asked.filter { $0.hasPrefix("p") }
            let products = known.compactMap { try? StoreModels.Product.sample($0) }
            return .json(Found(products: products, invalidProductIdentifiers: asked.filter { !$0.hasPrefix("p") }))
        }
        return shop
    }

    @Test func `unknown products are left out, and each request has at most 500 identifiers`() async throws {
        let shop = try shop()
        let identifiers = (0..<501).map { "p\($0)" } + ["x", "p1"]
        let products = try await shop.run { try await Product.products(for: identifiers) }
        #expect(Set(products.map(\.id)) == Set(identifiers).subtracting(["x"]) && products.count == 501)
        let sizes = shop.gateway.requests("POST /v1/products/query").map {
            $0.json["productIdentifiers"]?.arrayValue?.count
        }
        #expect(sizes == [500, 2])
        #expect(try await shop.run { try await Product.products(for: [String]()) }.isEmpty)
    }

    @Test func `a store that is away throws`() async throws {
        let shop = try shop()
        shop.gateway.stop()
        await #expect(throws: StoreKitError.self) { try await shop.run { _ = try await Product.products(for: ["p"]) } }
    }

    @Test func `a subscription has its offers, level, group and the one plan`() throws {
        let shop = try shop()
        var model = try StoreModels.Product.subscription(.freeTrial, amount: "0.00", period: "P1W")
        var offer = try #require(model.introductoryPrice)
        offer.identifier = "back"
        model.winBackOffers = [offer]
        (model.subscriptionGroupLevel, model.subscriptionGroupDisplayName) = (2, "Pro")
        let product = Product(model, ProductOrigin(queue: shop.queue, storefront: nil))
        let subscription = try #require(product.subscription)
        #expect(product.type == .autoRenewable && product.price == Decimal(string: "9.99"))
        #expect(product.displayPrice == product.price.formatted(product.priceFormatStyle))
        #expect(subscription.groupLevel == 2 && subscription.groupDisplayName == "Pro")
        #expect(
            subscription.introductoryOffer?.period == .weekly
                && subscription.introductoryOffer?.paymentMode == .freeTrial)
        #expect(
            subscription.winBackOffers.map(\.id) == ["back"] && subscription.winBackOffers.map(\.type) == [.winBack])
        #expect(subscription.pricingTerms.map(\.billingPlanType) == [.upFront])
        #expect(subscription.pricingTerms[0][offers: .winBack].count == 1)
        // The members that code reads of Apple's JSON.
        let json = try StrictJSON.parse(Array(product.jsonRepresentation))
        let discounts = json["attributes"]?["offers"]?.arrayValue?.first?["discounts"]?.arrayValue
        #expect(discounts?.map { $0["type"] } == ["IntroOffer", "WinbackOffer"])
        #expect(discounts?.first?["modeType"] == "FreeTrial")
        #expect(try shop.product().subscription == nil)
    }

    @Test func `a subscription of a year has the terms of monthly payments, without offers`() throws {
        let shop = try shop()
        var model = try StoreModels.Product.subscription(.freeTrial, amount: "0.00", period: "P1W")
        let month = Money(minorUnits: 499, currency: model.price.currency)
        let whole = try #require(month.times(12))
        model.pricingTerms = [
            BillingTerms(
                billingPlanType: .monthly, price: month, displayPrice: "4.99", period: BillingPlan.monthlyPeriod,
                commitmentPrice: whole, commitmentDisplayPrice: "59.88", commitmentPeriod: BillingPlan.committedPeriod)
        ]
        let product = Product(model, ProductOrigin(queue: shop.queue, storefront: nil))
        let terms = try #require(product.subscription?.pricingTerms)
        #expect(terms.map(\.billingPlanType) == [.upFront, .monthly])
        #expect(terms[0].billingPrice == product.price && terms[0].subscriptionOffers.count == 1)
        #expect(terms[1].billingPrice == Decimal(string: "4.99") && terms[1].billingDisplayPrice == "4.99")
        #expect(terms[1].billingPeriod == .monthly && terms[1].subscriptionOffers.isEmpty)
        #expect(terms[1].commitmentInfo.price == Decimal(string: "59.88"))
        #expect(terms[1].commitmentInfo.displayPrice == "59.88" && terms[1].commitmentInfo.period == .yearly)
    }

    @Test func `periods are ranges of dates and texts`() throws {
        let start = Date(timeIntervalSince1970: 1_795_600_000)
        let style = try shop().product().subscriptionPeriodFormatStyle
        for (period, text) in [
            (Product.SubscriptionPeriod.weekly, "1 week"), (.everyTwoWeeks, "2 weeks"), (.everyThreeDays, "3 days"),
            (.monthly, "1 month"), (.everySixMonths, "6 months"), (.yearly, "1 year"),
        ] { #expect(period.formatted(style, referenceDate: start) == text) }
        #expect(
            Product.SubscriptionPeriod.weekly.dateRange(referenceDate: start)
                == start..<start.addingTimeInterval(604_800))
        #expect([Product.SubscriptionPeriod.Unit.year, .day, .month, .week].sorted() == [.day, .week, .month, .year])
    }

    @Test func `36: the app's download is read once, and again after signing in`() async throws {
        let shop = try shop()
        shop.gateway.on("POST /v1/sync") { _ in .json([String: String](), status: 204) }
        shop.gateway.on("GET /v1/app-transaction") { _ in
            .json(["signedAppTransactionInfo": signed(["bundleId": "com.example.app", "appTransactionId": "7"])])
        }
        try await shop.run {
            #expect(try await AppTransaction.shared.unsafePayloadValue.appTransactionID == "7")
            _ = try await AppTransaction.shared
        }
        #expect(shop.gateway.requests("GET /v1/app-transaction").count == 1)
        _ = try await shop.run { try await AppTransaction.refresh() }
        #expect(shop.gateway.requests("GET /v1/app-transaction").count == 2)
        #expect(shop.gateway.requests("POST /v1/sync").count == 1)
    }

    @Test func `33: signing in that the customer cancels is an error`() async throws {
        let shop = try shop()
        let error = TransactionError(.paymentCancelled, "The customer has cancelled.")
        shop.gateway.on("POST /v1/sync") { _ in
            .json(
                [
                    "status": 409, "code": "x",
                    "error": JSONValue.object([
                        "domain": .string(error.domain), "code": .integer(error.code), "name": .string(error.name),
                        "localizedDescription": .string(error.localizedDescription),
                    ]),
                ], status: 409)
        }
        do {
            try await shop.run { try await AppStore.sync() }
            Issue.record("it has not thrown")
        } catch StoreKitError.userCancelled {
        }
    }

    @Test func `the storefront is the session's`() async throws {
        let shop = try shop()
        let storefront = await shop.run { await Storefront.current }
        #expect(storefront?.countryCode == "USA" && storefront?.id == "143441")
        await shop.run { #expect(AppStore.deviceVerificationID?.uuidString == "9B1F3F0E-2F0B-5E0A-8C0E-4F5A1B2C3D4E") }
        shop.gateway.stop()
    }

    @Test func `a storefront that changed since the product was read is the option's question`() async throws {
        let shop = try shop()
        _ = try await shop.queue.core.sessions.session()
        let product = Product(
            try StoreModels.Product.sample("p"),
            ProductOrigin(queue: shop.queue, storefront: .init(countryCode: "FRA", identifier: "143442", currency: nil))
        )
        let asked = LockedValue<[String]>([])
        func result(_ answer: Bool) async throws -> Bool {
            let option = Product.PurchaseOption.onStorefrontChange { storefront in
                asked.withLock { $0.append(storefront.countryCode) }
                return answer
            }
            if case .userCancelled = try await product.purchase(options: [option]) { return false }
            return true
        }
        shop.state.withLock { $0.purchases = [FakeShop.outcome(.pending)] }
        #expect(try await !result(false))
        #expect(shop.gateway.requests("POST /v1/purchases").isEmpty)
        #expect(try await result(true))
        #expect(asked.withLock { $0 } == ["USA", "USA"])
    }

    @Test func `promoted products are set as StoreKit 1 sets them`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        try await SKPaymentQueue.$ofTask.withValue(queue) {
            try await Product.PromotionInfo.updateProductOrder(byID: ["com.example.pro", "com.example.hiddenBeaches"])
            try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "com.example.pro")
            var order = try await Product.PromotionInfo.currentOrder
            #expect(order.map(\.productID) == ["com.example.pro", "com.example.hiddenBeaches"])
            #expect(order.map(\.visibility) == [.hidden, .appStoreConnectDefault])
            order[0].visibility = .appStoreConnectDefault
            try await Product.PromotionInfo.updateAll(order.reversed())
        }
        #expect(store.device.order == ["com.example.hiddenBeaches", "com.example.pro"])
        #expect(store.device.visibility.isEmpty)
    }

    @Test func `the order is read without products that the catalogue no longer has`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        let order = try await SKPaymentQueue.$ofTask.withValue(queue) {
            try await Product.PromotionInfo.updateProductOrder(byID: ["com.example.gone", "com.example.pro"])
            return try await Product.PromotionInfo.currentOrder
        }
        #expect(order.map(\.productID) == ["com.example.pro"])
        #expect(store.device.order == ["com.example.gone", "com.example.pro"])
    }

    @Test func `a list of promotions that the store refuses changes nothing`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        try await SKPaymentQueue.$ofTask.withValue(queue) {
            try await Product.PromotionInfo.updateProductOrder(byID: ["com.example.pro"])
            var order = try await Product.PromotionInfo.currentOrder
            store.gateway.on("PUT /v1/promotions/order") { _ in .problem(.productNotFound) }
            order[0].visibility = .hidden
            do {
                try await Product.PromotionInfo.updateAll(order)
                Issue.record("the store refuses the order")
            } catch {}
        }
        #expect(store.device.visibility.isEmpty)
    }

    @Test func `M71: a device without promotions is unsupported, as for a purchase`() async throws {
        let store = try FakePromotions()
        let queue = store.gateway.queue()
        store.gateway.on("GET /v1/promotions/order") { _ in .problem(.promotionUnsupported) }
        store.gateway.on("PUT /v1/promotions/order") { _ in .problem(.promotionUnsupported) }
        let errors = await SKPaymentQueue.$ofTask.withValue(queue) {
            var errors: [String] = []
            do { _ = try await Product.PromotionInfo.currentOrder } catch { errors.append("\(error)") }
            do { try await Product.PromotionInfo.updateAll([]) } catch { errors.append("\(error)") }
            return errors
        }
        #expect(errors == ["unsupported", "unsupported"])
    }
}
